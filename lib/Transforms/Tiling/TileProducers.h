//===- TileProducers.h - what makes a tile ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile's value is tiled backwards through its producers: every producer is
// cloned at the tile's offsets with constant sizes. Since a virtual matrix is
// padded by reading zero, sizes need no bounds; upstream's tile-and-fuse would
// clamp them, and make every shape dynamic.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_TILEPRODUCERS_H
#define CONV_LIB_TRANSFORMS_TILING_TILEPRODUCERS_H

#include "Matrices/StridePhases.h"

namespace mlir::conv {

/// A box of a tensor or of an iteration space. The value that is made of it
/// leaves dimensions of extent 1 out: a tile has rows and columns.
struct Tile {
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> sizes;

  SmallVector<int64_t> shape() const {
    return llvm::filter_to_vector(sizes, [](int64_t s) { return s != 1; });
  }
};

/// The part of a reduction loop that one workgroup runs.
struct LoopRange {
  OpFoldResult first;
  OpFoldResult length; ///< For channel blocks, whole blocks.
};

/// Whether gemm-k are images, the first loop of a contraction, and positions,
/// the last one. Their blocks of positions are counted through, image by image,
/// in one loop, whose range is that of the first.
bool hasBlocksOfImages(linalg::LinalgOp contraction);

/// Whether it adds elements of real tensors up to a row, as those of a filter:
/// what an epilogue reads of it is made by a kernel of its own.
bool isRowOfSums(linalg::LinalgOp op);

/// Clones the producers of a tile, from the scatter back to the tensors that
/// are real. The contraction becomes loops over blocks of gemm-k: the last
/// reduction outside in blocks of the schedule, the others inside in steps of
/// one; or one loop over the blocks of images.
class ProducerTiler {
public:
  /// `phase` is null where there is one. `ranges` has an entry for each loop of
  /// the contraction; those of parallel loops are not used.
  ProducerTiler(RewriterBase &rewriter, const StridePhases &phases, Value phase,
                ArrayRef<LoopRange> ranges)
      : rewriter(rewriter), phases(phases), phase(phase), ranges(ranges) {}

  FailureOr<Value> tile(Value value, const Tile &tile);

  /// Takes `tile` for that of the contraction, which is cloned once and no
  /// more.
  void setContraction(Value tile) { contraction = tile; }
  /// Lets the loops of the contraction sum the rows of its left operand as
  /// well, as `op` says: one of `shares` shares of its blocks, the number is
  /// `share` (null: all). Call it before the contraction is cloned.
  void addRowSum(linalg::GenericOp op, Value share, int64_t shares) {
    rowSum = op;
    rowSumShare = share;
    rowSumShares = shares;
  }
  /// The sums of a tile, once the contraction is cloned.
  Value getRowSums() const { return rowSums; }
  /// Dimensions of extent 1 are kept from here on.
  void keepUnitDims() { keepsUnitDims = true; }

private:
  SmallVector<int64_t> getShape(const Tile &tile) const {
    return keepsUnitDims ? tile.sizes : tile.shape();
  }
  FailureOr<Value> tileIm2col(Im2colOp op, const Tile &tile);
  FailureOr<Value> tileAddTaps(AddTapsOp op, const Tile &tile);
  FailureOr<Value> tileLinalg(linalg::LinalgOp op, const Tile &tile);
  FailureOr<Value> tileContraction(const Tile &iteration);
  /// `sums` are those that loops carry: the accumulator and sums of rows.
  LogicalResult emitReductions(ArrayRef<unsigned> loops, Tile iteration,
                               SmallVectorImpl<Value> &sums);
  LogicalResult emitImages(Tile iteration, SmallVectorImpl<Value> &sums);
  LogicalResult emitLoop(LoopRange range, int64_t step,
                         SmallVectorImpl<Value> &sums,
                         llvm::function_ref<LogicalResult(Value)> body);
  LogicalResult emitBlock(const Tile &iteration, SmallVectorImpl<Value> &sums);
  int64_t getBlockK();
  bool sumsColumns();
  Value emitRowSumInit(int64_t number);
  Value tileRowSum(Value rows, Value sums);
  void addToBlock(Value index, int64_t step);
  FailureOr<Value> tileRow(Value value, const Tile &tile);
  FailureOr<Value> tileOperand(OpOperand &operand, const Tile &iteration);
  linalg::LinalgOp cloneTile(linalg::LinalgOp op, ArrayRef<Value> operands,
                             const Tile &iteration);
  Tile getIterationTile(linalg::LinalgOp op, AffineMap resultMap,
                        const Tile &tile);
  Tile getOperandTile(Location loc, AffineMap map, const Tile &iteration);

  RewriterBase &rewriter;
  const StridePhases &phases;
  Value phase;
  ArrayRef<LoopRange> ranges;
  Value contraction; ///< Its tile, once there is one.
  linalg::GenericOp rowSum;
  Value rowSums, rowSumShare;
  int64_t rowSumShares = 1;
  Value block; ///< The sum of the numbers of all loops, with such shares.
  bool keepsUnitDims = false;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_TILEPRODUCERS_H
