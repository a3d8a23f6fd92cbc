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
// those up to the next row's, in every dimension. What is at the same place of
// all cells is a view like the first one, of as many rows or fewer. The stride
// phases of dgrad are such views.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_CELLVIEWS_H
#define CONV_GEOMETRY_CELLVIEWS_H

#include "conv/Geometry/MatrixView.h"

#include <vector>

namespace convmlir {

/// Whether the rows of `view` are every position of its tensor that is a
/// multiple of the stride, each through one tap.
bool namesCells(const MatrixView &view);

/// Positions of a whole cell, the row's own among them.
int64_t getCellSize(const MatrixView &view);

/// The views of all other positions, one for each place in a cell that any cell
/// has. `view` names cells.
std::vector<MatrixView> getViewsBetween(const MatrixView &view);

} // namespace convmlir

#endif // CONV_GEOMETRY_CELLVIEWS_H
