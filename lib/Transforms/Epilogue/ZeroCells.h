//===- ZeroCells.h - zeros beside the rows of a matrix ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a `conv.scatter` with zero_fill stores besides its values. The rows of
// its matrix are at a distance of the view's stride, and each has a cell of the
// tensor to itself: its own position, and those up to the next row's, in every
// dimension. A value leaves with the zeros that follow it in its row of
// positions, and whoever stores it stores the rest of the cell.
//
// Of any other scatter a cell is the position itself.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_ZEROCELLS_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_ZEROCELLS_H

#include "Support/IndexMath.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

namespace mlir::conv {

class ZeroCells {
public:
  explicit ZeroCells(ScatterOp op);

  /// Elements that are stored for a value: itself, and zeros if it is followed
  /// by some wherever it is.
  int64_t getLength() const { return length; }
  /// The values of neighbouring positions, one where zeros follow, with these.
  Value widen(OpBuilder &builder, Location loc, Value values) const;

  /// Zeros of a cell that are stored apart from its value, as many.
  struct Zeros {
    int64_t distance; ///< From the value, in elements.
    Value isInside;   ///< Null: always.
  };
  /// Those of the cell of a row of the matrix.
  SmallVector<Zeros> getZeros(IndexMath &math, Value row) const;

private:
  Value isInside(IndexMath &math, Value row, ArrayRef<int64_t> distances) const;

  ArrayRef<int64_t> rows, cell; ///< Empty without zero_fill.
  SmallVector<int64_t> extents;
  int64_t channels = 1; ///< Between positions, where they are last.
  int64_t length = 1;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_ZEROCELLS_H
