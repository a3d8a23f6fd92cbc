//===- ResultTiles.h - the tiles of a result --------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many tiles a result has, how they are numbered, and which one a workgroup
// makes. Tiles of stride phases are numbered one phase after the other; the
// phase of a tile, and all that differs between phases, are found by comparing
// its number with the constant numbers at which phases begin: the code is the
// same however many there are.
//
// Where the schedule has clusters, the indices along rows and columns number
// the clusters, and two more, the last ones, the workgroups of a cluster. A
// workgroup that finds no tile left makes the last one once more.
//
// The last index counts columns, or, of filters with sums for taps (kn2row),
// rows: neighbours read the same positions then, and a workgroup has the same
// filters in all tiles where their number allows it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_RESULTTILES_H
#define CONV_LIB_TRANSFORMS_TILING_RESULTTILES_H

#include "TileProducers.h"
#include "conv/Schedule/Forms/PhasePairs.h"

namespace mlir::conv {

class ResultTiles {
public:
  /// Creates nothing yet.
  ResultTiles(OpBuilder &builder, const StridePhases &phases,
              ScheduleAttr schedule);

  /// The extents of a tile along the dimensions of the result's matrix.
  SmallVector<int64_t> getTileSizes() const;

  /// The extents of the indices that number the tiles.
  SmallVector<int64_t> getCounts() const;

  /// The tile of a workgroup, in its phase. Once for each result.
  Tile find(ValueRange indices);

  /// That of the tile; null where there is one phase.
  Value getPhase() const { return phase; }

  /// The entry of a table, by the tile's phase; a constant where all are equal.
  OpFoldResult lookUp(ArrayRef<int64_t> values);

private:
  int64_t countRowTiles(ScatterOp scatter) const;
  int64_t countColumnTiles() const;
  SmallVector<int64_t> getFirstTiles() const;
  SmallVector<int64_t> getFirstClusters() const;
  void findPhase(Value number);
  Value getNumberInCluster(Value cluster, Value rank, int64_t size);
  Value clampRow(Value number);
  SmallVector<Value> findTileNumbers(ValueRange indices);
  std::optional<PhasePairs> getPairs() const;
  SmallVector<int64_t> getFirstPairs() const;
  int64_t countPairRounds() const;
  SmallVector<Value> findPairedTile(ValueRange indices);

  OpBuilder &builder;
  const StridePhases &phases;
  Location loc;
  ScheduleAttr schedule;
  convmlir::ChipInfo chip;
  int64_t clusterM, clusterN;
  SmallVector<int64_t> firstTiles;
  std::optional<PhasePairs> pairs; ///< That are stored together.
  Value phase;
  SmallVector<Value> isPhaseOrLater; ///< By phase; null for the first.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_RESULTTILES_H
