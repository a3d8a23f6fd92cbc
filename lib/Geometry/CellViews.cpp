//===- CellViews.cpp - positions between the rows of a view ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/CellViews.h"

#include <algorithm>

using namespace convmlir;

/// Positions from `first` on at a distance.
static int64_t countPositions(int64_t extent, int64_t first, int64_t distance) {
  return extent > first ? (extent - first + distance - 1) / distance : 0;
}

bool convmlir::namesCells(const MatrixView &view) {
  if (view.strips != 1)
    return false;
  for (int d = 0; d < view.spatialRank; ++d)
    if (view.taps[d] != 1 || view.stride[d] < 1 || view.offset[d] != 0 ||
        view.rows[d] != countPositions(view.extent[d], 0, view.stride[d]))
      return false;
  return true;
}

std::vector<RowsBetween> convmlir::getRowsBetween(const MatrixView &view,
                                                  size_t most) {
  std::vector<RowsBetween> all;
  RowsBetween inner{view, 1}; // All positions of the dimensions inside of d.
  for (int d = view.spatialRank; d-- > 0;) {
    int64_t end = std::min(view.stride[d], view.extent[d]);
    for (int64_t first = 1; first < end && all.size() <= most; ++first) {
      RowsBetween rows = inner;
      rows.view.offset[d] = first;
      rows.view.rows[d] = countPositions(view.extent[d], first, view.stride[d]);
      if (rows.view.numRows() > 0)
        all.push_back(rows);
    }
    inner.perRow *= view.stride[d];
    inner.view.stride[d] = 1;
    inner.view.rows[d] = view.extent[d];
  }
  return all;
}
