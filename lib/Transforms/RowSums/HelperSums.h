//===- HelperSums.h - what a lane sums of a tile ------------------*- C++
//-*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane of the warps that help a kernel holds a few of a tile's sums, or of
// the partial sums that make these. It adds what it has of a tile in shared
// memory, and takes part in the store at the end. Part of conv-lower-row-sums.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_ROWSUMS_HELPERSUMS_H
#define CONV_LIB_TRANSFORMS_ROWSUMS_HELPERSUMS_H

#include "Support/IndexMath.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Schedule/Shape/RowSumLayout.h"

#include <memory>

namespace mlir::conv {

class HelperSums {
public:
  virtual ~HelperSums() = default;

  /// Sums of a tile, and of the lane.
  VectorType getTileType() const { return tileSums; }
  VectorType getLaneType() const { return laneSums; }
  /// Partial sums of each of the tile's.
  int64_t getNumPartialSums() const { return partialSums; }
  /// Whether the lane's warp has a part of the tile; null: always.
  Value getIsUsed() const { return isUsed; }

  /// `sums` with those of a tile, in a warp that has a part of it.
  virtual Value addTile(OpBuilder &builder, Location loc,
                        TypedValue<MemRefType> tile, Value sums) = 0;
  /// Stores them as the scatter does.
  virtual void store(OpBuilder &builder, ScatterOp op, Value sums) = 0;

protected:
  HelperSums(VectorType tileSums, VectorType laneSums, int64_t partialSums)
      : tileSums(tileSums), laneSums(laneSums), partialSums(partialSums) {}

  /// What says which part of a tile the lane has.
  struct Place {
    Value warp, lane;
  };
  /// `warps` are those that have a part.
  Place findPlace(IndexMath &math, int64_t warps);
  /// Stores `values` along the scatter's row from `column` on, if they are in
  /// it: pieces of so many that are in it together or not at all.
  void storePieces(IndexMath &math, ScatterOp op, Value values, Value column);

  VectorType tileSums, laneSums;
  int64_t partialSums;
  Value isUsed;
};

/// Elements of f16 or bf16 as f32. Those of bf16 by moving their bits, and not
/// by `cvt`, which is no operation of the full rate.
Value widen(OpBuilder &builder, Location loc, Value elements);

/// Loads 16 bytes of a tile in shared memory.
Value loadChunk(OpBuilder &builder, Location loc, Value flat, Value element);

/// The sums over rows of tiles of this shape, at the start of the helpers'
/// branch; null where helpers cannot share them out.
std::unique_ptr<HelperSums> makeRowSums(OpBuilder &builder, Location loc,
                                        ArrayRef<int64_t> tile,
                                        int64_t elementBytes,
                                        VectorType tileSums);
/// The same over columns.
std::unique_ptr<HelperSums> makeLineSums(OpBuilder &builder, Location loc,
                                         ArrayRef<int64_t> tile,
                                         int64_t elementBytes,
                                         VectorType tileSums);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_ROWSUMS_HELPERSUMS_H
