//===- CellViews.cpp - positions between the rows of a view ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/CellViews.h"

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

int64_t convmlir::getCellSize(const MatrixView &view) {
  int64_t size = 1;
  for (int d = 0; d < view.spatialRank; ++d)
    size *= view.stride[d];
  return size;
}

std::vector<MatrixView> convmlir::getViewsBetween(const MatrixView &view) {
  std::vector<MatrixView> views;
  int64_t size = getCellSize(view);
  for (int64_t place = 1; place < size; ++place) {
    MatrixView between = view;
    int64_t left = place;
    for (int d = view.spatialRank; d-- > 0;) {
      between.offset[d] = left % view.stride[d];
      between.rows[d] =
          countPositions(view.extent[d], between.offset[d], view.stride[d]);
      left /= view.stride[d];
    }
    if (between.numRows() > 0)
      views.push_back(between);
  }
  return views;
}
