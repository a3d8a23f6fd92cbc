//===- StagedTile.h - what a warpgroup stages of a result -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup's part of the result's tile in shared memory, laid out in panels:
// what emits where in the tensor it lies, and where in memory each of its
// elements.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_STAGEDTILE_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_STAGEDTILE_H

#include "StagedShape.h"
#include "Support/IndexMath.h"
#include "TensorCores/TileDistribution.h"

namespace mlir::conv {

/// In which order panels lie: one after the other, as what TMA loads, or
/// interleaved where one copy can store them all so.
enum class PanelOrder { OneByOne, InterleavedIfPossible };

class StagedTile : public StagedShape {
public:
  StagedTile(ScatterOp op, TileDistribution &distribution,
             PanelOrder order = PanelOrder::OneByOne);

  bool isInterleaved() const { return interleaved; }

  //===--------------------------------------------------------------------===//
  // In the tensor
  //===--------------------------------------------------------------------===//

  /// `staging` without the scratch behind the part.
  Value dropScratch(OpBuilder &builder, Value staging);
  /// `staging`, a part, as the box that it is.
  Value viewAsBox(OpBuilder &builder, Value staging);

  /// Offsets of the part whose first element is so far from the warpgroup's
  /// first one, from those of the tile.
  SmallVector<Value> getOffsets(IndexMath &math, ValueRange tileOffsets,
                                int64_t firstRow, int64_t firstColumn);
  /// The same in the coordinates of the tensor, for boxes.
  SmallVector<Value> getBoxCoordinates(IndexMath &math, ValueRange offsets);
  /// Whether a part that begins at `row` of the matrix of `phase` has rows of
  /// it; null: always. In im2col mode, a copy that begins past the matrix is an
  /// illegal instruction.
  Value isPartThere(IndexMath &math, Value row, Value phase);

  //===--------------------------------------------------------------------===//
  // In shared memory, seen as one row
  //===--------------------------------------------------------------------===//

  /// Where the calling lane begins in the first panel's block of columns: the
  /// row that it points such an instruction to, or the elements that it holds.
  /// `thread` counts within the warpgroup.
  Value getLane(IndexMath &math, Value thread);
  /// What lies so far from the lane's first element: rows are a multiple of
  /// SharedTile::kSwizzlePeriod, columns of a block.
  Value getElement(IndexMath &math, Value lane, int64_t row, int64_t column);
  /// Of a transposed accumulator, where the calling lane points an instruction
  /// for two blocks beside each other, the first one (m, n), to: eight elements
  /// of a position, or scratch. Matrices are transposed on the way.
  Value getTransposedElement(IndexMath &math, Value thread, int64_t m,
                             int64_t n);
  /// Whether an element, counted from the first of a part, is in it.
  bool isStaged(int64_t row, int64_t column) const {
    return row >= 0 && row < part.getRows() && column >= 0 &&
           column < part.getColumns();
  }

private:
  bool canInterleave();

  TileDistribution &distribution;
  convmlir::SharedTile panel; ///< A panel of it.
  bool interleaved = false;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_STAGEDTILE_H
