//===- CellViews.h - positions between the rows of a view -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the rows of a matrix are every position of a tensor that is a multiple
// of the stride, each has a cell of the tensor to itself: its own position and
// those up to the next row's, in every dimension. All other positions are rows
// of a few views: of each dimension, the positions that are no multiples, at
// multiples in the dimensions outside of it and at every place in those inside.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_CELLVIEWS_H
#define CONV_GEOMETRY_CELLVIEWS_H

#include "conv/Geometry/MatrixView.h"

#include <cstddef>
#include <limits>
#include <vector>

namespace convmlir {

/// Whether the rows of `view` are every position of its tensor that is a
/// multiple of the stride, each through one tap.
bool namesCells(const MatrixView &view);

/// Other rows of the tensor, at most `perRow` for each row of the view, in the
/// same order.
struct RowsBetween {
  MatrixView view;
  int64_t perRow;
};

/// All positions that `view`, which names cells, does not name, each in one of
/// these. Ends early once there are more than `most`.
std::vector<RowsBetween>
getRowsBetween(const MatrixView &view,
               size_t most = std::numeric_limits<size_t>::max());

} // namespace convmlir

#endif // CONV_GEOMETRY_CELLVIEWS_H
