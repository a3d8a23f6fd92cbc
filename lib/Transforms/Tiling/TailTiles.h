//===- TailTiles.h - tiles of the last round, in parts ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups that stay take tiles in rounds. Where the last round would have
// few, the schedule can divide its tiles along gemm-k (`tail`): whole rounds
// first, then items that are a part of a tile each. Parts leave bare sums in a
// workspace that has a slot for each; a plain kernel adds them.
//
// Parts are as many of each tile, or even (EvenParts.h).
//
// With clusters all numbers here count clusters of tiles: the workgroups of one
// have the same part.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_TAILTILES_H
#define CONV_LIB_TRANSFORMS_TILING_TAILTILES_H

#include "TileProducers.h"
#include "conv/Schedule/Shape/EvenParts.h"
#include "conv/Schedule/Shape/Rounds.h"
#include "conv/Chip/Chip.h"

namespace mlir::conv {

class IndexMath;

/// The items of a kernel that makes the tiles of its last round in parts.
class TailItems {
public:
  /// `counts` has the extents of the indices that number the tiles, those of a
  /// cluster last (ResultTiles). A tile has so many blocks of gemm-k.
  TailItems(ScheduleAttr schedule, ArrayRef<int64_t> counts, int64_t blocks,
            const convmlir::ChipInfo &chip);

  /// Why there are no such items; empty where there are.
  std::string whyNone() const;

  /// The extents of the loop over items: their number, and a cluster's.
  SmallVector<int64_t> getLoopCounts() const;

  /// Tiles of the last round, those that a cluster makes twice among them.
  int64_t getRestTiles() const { return rest * clusterSize; }

  /// Tiles that are whole, the first ones.
  int64_t getNumWhole() const { return whole; }

  /// Slots of the workspace.
  int64_t getSlots() const;

  bool isEven() const { return even.has_value(); }

  /// The value of kItemsAttrName; null: none.
  AffineMap getItemsOfWorkgroup(MLIRContext *context) const;

  /// What one item is.
  struct Item {
    SmallVector<Value> indices; ///< Of its tile, as ResultTiles takes them.
    Value isWhole, isPart;      ///< Null: no tile is whole.
    Value part; ///< Of gemm-k; 0 where it is whole. Null: see below.
    Value slot; ///< Of the workspace; of no meaning where it is whole.
    /// Of even parts, and of tiles that are whole beside them, the first block
    /// of gemm-k, and the number of blocks.
    Value firstBlock, blocks;
  };
  Item find(OpBuilder &builder, Location loc, ValueRange indices) const;

  /// Parts of a tile of the last round, at most.
  int64_t getMostParts() const;

  /// Where a part of such a tile is, by its number there, and whether the tile
  /// has such a part (null: it has).
  struct Slot {
    Value number, isThere;
  };
  Slot findSlot(OpBuilder &builder, Location loc, Value part, Value tile) const;

  /// The indices of a tile of the last round by its number there.
  SmallVector<Value> findRestTile(OpBuilder &builder, Location loc,
                                  Value number) const;

private:
  SmallVector<Value> divide(IndexMath &math, Value number) const;
  Value findPlace(IndexMath &math, Value number, Item &item) const;
  Item findEven(IndexMath &math, Value number) const;

  SmallVector<int64_t> counts, clusterCounts;
  int64_t clusterSize, parts, whole, rest;
  std::optional<EvenParts> even;
};

/// A slot of the workspace is an image of this tensor: its rows are those of a
/// tile, each with its taps, its channels the columns. Slot p * R + r, of R
/// tiles, is part p of tile r. Those of fillers follow: f + r is what filler f
/// has of tile r.
RankedTensorType getTailWorkspaceType(ArrayRef<int64_t> tileSizes,
                                      unsigned rowDim, int64_t slots,
                                      Type element);

/// The view through which a tile is written there.
ViewAttr getTailWorkspaceView(MLIRContext *context, ArrayRef<int64_t> tileSizes,
                              unsigned rowDim);

/// The kernel that adds the parts of the last round's tiles, in ascending
/// order, applies the epilogue and writes the tiles into `result`. Returns what
/// takes the place of `result`.
FailureOr<Value> sumTail(RewriterBase &rewriter, const StridePhases &phases,
                         ScheduleAttr schedule, const TailItems &items,
                         Value result, Value workspace);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_TAILTILES_H
