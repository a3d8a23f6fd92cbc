//===- TileDistribution.h - tiles become fragments --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of conv-map-to-mma-sync or conv-map-to-wgmma in one kernel: for
// each value of the workgroup the values that one thread holds of it. A
// function for each family of operations adds the fragments of its results; the
// old operations stay until the whole kernel is distributed.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_TILEDISTRIBUTION_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_TILEDISTRIBUTION_H

#include "KernelTiles.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <memory>

namespace mlir::conv {

/// A tile that an operand of the epilogue is and that TMA has loaded before the
/// sums are complete, to where the result is staged.
struct TileAhead {
  Value staging;  ///< The calling warpgroup's part,
  Value barriers; ///< of whose barriers one, the warpgroup's, counts its bytes.
  Value phase;    ///< The parity that is waited for.
};

class ImageBlock;
class ReadImageTapsOp;

struct TileDistribution : KernelTiles {
  TileDistribution(gpu::GPUFuncOp func, ScheduleAttr schedule);

  /// Number and type of the fragments of a value of this type.
  int64_t getNumFragments(Type type) const;
  VectorType getFragmentType(Type type) const;

  /// Those of a constant are made on demand; empty for what is not a tile.
  ArrayRef<Value> getFragments(Value tile);
  bool isKnown(Value tile) const { return fragments.contains(tile); }
  void setFragments(Value tile, SmallVector<Value> values) {
    fragments[tile] = std::move(values);
  }

  /// Index in a shared tile of the result's shape of the first elements that a
  /// thread holds of the eight columns `blockN`. Those of other rows, which are
  /// multiples of eight away, differ by a constant.
  Value getSharedElement(IndexMath &math, const convmlir::SharedTile &tile,
                         int64_t blockN) const;

  //===--------------------------------------------------------------------===//
  // Accumulators of warpgroups: what loops around `wgmma` carry of a tile.
  //===--------------------------------------------------------------------===//

  /// The index of the thread's warpgroup in the workgroup, computed at the
  /// start of the kernel.
  Value getWarpgroup();
  /// Its index among those that divide a tile.
  Value getWarpgroupOfTile(IndexMath &math);
  /// The number of those along gemm-m before it.
  Value getWarpgroupRow(IndexMath &math);
  /// The first row and column of the tile that the warpgroup has.
  struct Part {
    Value row, column;
  };
  Part getPart(IndexMath &math);
  /// What a loop carries of a tile: accumulators if it has any, or fragments.
  ArrayRef<Value> getCarried(Value tile);
  void setCarried(Value tile, SmallVector<Value> values, bool isAccumulator);
  /// Those of a zero constant are made, one for each of `columns`, which says
  /// how many columns they have.
  ArrayRef<Value> getAccumulators(Value tile, ArrayRef<int64_t> columns = {});

  /// The same of `wmma`: matrices of 16x16 sums, block by block of the warp.
  /// Those of a zero constant are made.
  ArrayRef<Value> getMatrices(Value tile);

  /// What is loaded ahead for this read of a tile or, in the same place, staged
  /// for this scatter; null where nothing is.
  const TileAhead *getTileAhead(Operation *op) const {
    auto it = tilesAhead.find(op);
    return it == tilesAhead.end() ? nullptr : &it->second;
  }
  void setTileAhead(Operation *op, TileAhead tile) { tilesAhead[op] = tile; }

  /// How the plan of the kernel says that a tile leaves. An error at the kernel
  /// where it does not say so of each `conv.scatter` of a tile.
  FailureOr<StoreForm> getStore(ScatterOp op);

  /// What the thread has read of these taps.
  ImageBlock &getImageBlock(ReadImageTapsOp op);

  /// A barrier of the threads among which tiles are divided.
  void emitBarrier(OpBuilder &builder, Location loc);
  /// Their number.
  int64_t getNumThreads() const { return schedule.getThreads(); }

  Value thread;                  ///< Among those that divide a tile.
  FragmentLayout::Origin origin; ///< Computed at the start of the kernel.

private:
  DenseMap<Value, SmallVector<Value>> fragments, accumulators;
  DenseMap<Operation *, TileAhead> tilesAhead;
  SmallVector<ScatterOp> scatters; ///< Before any tile is distributed.
  DenseMap<Operation *, std::shared_ptr<ImageBlock>> imageBlocks;
  Value warpgroup;
};

/// Whether a tile is a constant of zeros.
bool isZeroTile(Value tile);

/// Divides all tiles of the kernel among its threads.
LogicalResult distributeTiles(TileDistribution &distribution);

// Each creates the thread's operations before `op` and records the fragments of
// its results. `op` itself stays. Errors are reported on `op`.

LogicalResult distributeContract(vector::ContractionOp op, TileDistribution &);
/// Without tensor cores: each thread multiplies what its own sums need.
LogicalResult distributeFma(vector::ContractionOp op, TileDistribution &);
/// By `wmma`, on matrices; and those of `tile`, once complete, as fragments,
/// where an operation besides a contraction, a yield and a loop uses it.
LogicalResult distributeWmma(vector::ContractionOp op, TileDistribution &);
void readMatricesIfUsed(OpBuilder &builder, Value tile, TileDistribution &);
/// By warpgroups, on accumulators; and those of `tile`, once complete, as
/// fragments, where an operation besides a contraction, a yield and a loop uses
/// it.
LogicalResult distributeToWarpgroups(vector::ContractionOp op,
                                     TileDistribution &);
/// The same where the positions are the instruction's columns.
LogicalResult distributeSwapped(vector::ContractionOp op, TileDistribution &);
/// The same where the right operand has the taps of a window.
LogicalResult distributeWindow(vector::ContractionOp op, TileDistribution &);
/// The same where the right operand comes from images as they lie: its channels
/// are the instruction's rows, and registers hold them.
bool multipliesImageTaps(vector::ContractionOp op);
LogicalResult distributeImageTaps(vector::ContractionOp op, TileDistribution &);
/// A group of products for `op`, one for each accumulator: `multiply` makes
/// that of a number and an accumulator. `columns` has the columns of each.
LogicalResult
distributeProducts(vector::ContractionOp op, ArrayRef<int64_t> columns,
                   TileDistribution &distribution,
                   function_ref<Value(OpBuilder &, int64_t, Value)> multiply);
/// The same of several groups one after the other: `multiply` makes them, and
/// of the accumulators before them those behind. The last group may go on.
LogicalResult distributeGroups(
    vector::ContractionOp op, ArrayRef<int64_t> columns,
    TileDistribution &distribution,
    function_ref<SmallVector<Value>(OpBuilder &, ArrayRef<Value>)> multiply);
void readAccumulatorsIfUsed(OpBuilder &builder, Value tile, TileDistribution &);
/// Of sums for each tap those of the result.
LogicalResult distributeAddTaps(AddTapsOp op, TileDistribution &);
LogicalResult distributeBroadcast(vector::BroadcastOp op, TileDistribution &);
LogicalResult distributeShapeCast(vector::ShapeCastOp op, TileDistribution &);
LogicalResult distributeElementwise(Operation *op, TileDistribution &);
/// A tile from shared memory; a row of length gemm-n, and a tile through a
/// view, from global memory.
LogicalResult distributeSharedRead(vector::TransferReadOp op,
                                   TileDistribution &);
/// The fragments of the tile in a memref of the schedule's tile.
SmallVector<Value> loadSharedTile(OpBuilder &builder, Location loc,
                                  Value memref, TileDistribution &);

LogicalResult distributeRowRead(vector::TransferReadOp op, TileDistribution &);
/// The same of values for the rows, of length gemm-m.
LogicalResult distributeColumnRead(vector::TransferReadOp op,
                                   TileDistribution &);
LogicalResult distributeTileRead(Im2colOp op, TileDistribution &);
/// Before any tile is distributed: loads the tile of an operand of the epilogue
/// ahead, to where the result is staged, as the plan of the kernel says.
LogicalResult loadTileAhead(TileDistribution &);
/// The same of zeros between the rows of the result: stores those of a tile
/// before the tile is multiplied, and takes zero_fill from the `conv.scatter`.
LogicalResult storeZerosAhead(TileDistribution &);
/// The read of a tile that has been loaded ahead.
LogicalResult distributeTileAhead(Im2colOp op, TileDistribution &);
/// The result's tile to global memory.
LogicalResult distributeStore(ScatterOp op, TileDistribution &);
/// Each warpgroup its rows, which it stages, in a form of StoreForms.h.
void storeByWarpgroups(ScatterOp op, StoreForm form, TileDistribution &);
/// That of a wgrad whose images are in registers, from the fragments.
void storeImageTaps(ScatterOp op, TileDistribution &);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_TILEDISTRIBUTION_H
