//===- ResultTiles.cpp - the tiles of a result ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultTiles.h"

#include "PhaseOrder.h"
#include "Support/IndexMath.h"
#include "Support/Intervals.h"
#include "conv/Schedule/Forms/ImageTapShape.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

ResultTiles::ResultTiles(OpBuilder &builder, const StridePhases &phases,
                         ScheduleAttr schedule)
    : builder(builder), phases(phases), loc(phases.front().getLoc()),
      schedule(schedule), chip(getChip(phases.front())),
      clusterM(getClusterM(schedule)), clusterN(getClusterN(schedule)),
      firstTiles(getFirstTiles()), pairs(getPairs()) {}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Rows and channels by the schedule, one group at a time, and one tap unless
/// several share a window.
SmallVector<int64_t> ResultTiles::getTileSizes() const {
  ScatterOp scatter = phases.front();
  ViewAttr view = scatter.getView();
  SmallVector<int64_t> sizes(scatter.getValueType().getRank(), 1);
  sizes[view.getRowDim()] = schedule.getTile()[0];
  sizes.back() = schedule.getTile()[1];
  if (schedule.getWindow() && view.getNumTaps() > 1) {
    int64_t line =
        getTapChannels(schedule, scatter.getValueType().getShape().back());
    sizes[view.getTapDim()] = sizes.back() / line;
    sizes.back() = line;
  }
  return sizes;
}

/// Tiles along the rows of a phase.
int64_t ResultTiles::countRowTiles(ScatterOp scatter) const {
  int64_t rows = scatter.getFullShape()[scatter.getView().getRowDim()];
  return llvm::divideCeil(rows, schedule.getTile()[0]);
}

int64_t ResultTiles::countColumnTiles() const {
  int64_t columns = phases.front().getValueType().getShape().back();
  return llvm::divideCeil(columns, getTileSizes().back());
}

/// The number along the rows of the first tile of each phase, and of the tile
/// that would follow the last one. A phase begins with a cluster.
SmallVector<int64_t> ResultTiles::getFirstTiles() const {
  SmallVector<int64_t> first = {0};
  for (ScatterOp scatter : phases.scatters)
    first.push_back(first.back() +
                    llvm::alignTo(countRowTiles(scatter), clusterM));
  return first;
}

/// The same, counted in clusters.
SmallVector<int64_t> ResultTiles::getFirstClusters() const {
  return llvm::map_to_vector(firstTiles,
                             [&](int64_t tile) { return tile / clusterM; });
}

SmallVector<int64_t> ResultTiles::getCounts() const {
  ScatterOp scatter = phases.front();
  SmallVector<int64_t> counts;
  for (auto [extent, size] :
       llvm::zip_equal(scatter.getValueType().getShape(), getTileSizes()))
    counts.push_back(llvm::divideCeil(extent, size));
  counts[scatter.getView().getRowDim()] = firstTiles.back() / clusterM;
  counts.back() = llvm::divideCeil(countColumnTiles(), clusterN);
  if (schedule.getKn2row())
    std::swap(counts.back(), counts[scatter.getView().getRowDim()]);
  if (schedule.getClusterSize() > 1)
    counts.append({clusterM, clusterN});
  if (pairs) {
    counts[scatter.getView().getRowDim()] =
        2 * schedule.getTeams() * countPairRounds();
    counts.back() = getPersistentWorkgroups(schedule, chip);
  }
  return counts;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// The phase of the tile with this number along the rows.
void ResultTiles::findPhase(Value number) {
  if (phases.size() == 1)
    return;
  if (phases.size() > kMostChoices) {
    IndexMath math(builder, loc);
    phase = findInterval(math, number, firstTiles);
    return;
  }
  isPhaseOrLater = {Value()};
  for (size_t i = 1; i < phases.size(); ++i) {
    Value start = arith::ConstantIndexOp::create(builder, loc, firstTiles[i]);
    isPhaseOrLater.push_back(arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::uge, number, start));
  }
  phase = cast<Value>(
      lookUp(llvm::to_vector(llvm::seq<int64_t>(0, phases.size()))));
}

OpFoldResult ResultTiles::lookUp(ArrayRef<int64_t> values) {
  if (values.size() > kMostChoices && !llvm::all_equal(values)) {
    IndexMath math(builder, loc);
    return lookUpEntry(math, phase, values);
  }
  OpFoldResult result = builder.getIndexAttr(values.front());
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i] != values[i - 1])
      result = OpFoldResult(arith::SelectOp::create(
          builder, loc, isPhaseOrLater[i],
          arith::ConstantIndexOp::create(builder, loc, values[i]),
          getValueOrCreateConstantIndexOp(builder, loc, result)));
  return result;
}

/// The number of the tile of a workgroup of a cluster, along one dimension.
Value ResultTiles::getNumberInCluster(Value cluster, Value rank, int64_t size) {
  AffineExpr c, r;
  bindDims(builder.getContext(), c, r);
  return affine::AffineApplyOp::create(builder, loc, c * size + r,
                                       ValueRange{cluster, rank});
}

/// At most that of the phase's last tile.
Value ResultTiles::clampRow(Value number) {
  SmallVector<int64_t> last;
  for (auto [first, scatter] : llvm::zip(firstTiles, phases.scatters))
    last.push_back(first + countRowTiles(scatter) - 1);
  Value limit = getValueOrCreateConstantIndexOp(builder, loc, lookUp(last));
  return arith::MinUIOp::create(builder, loc, number, limit);
}

/// The numbers of the workgroup's tile along all dimensions of the result, and
/// its phase.
SmallVector<Value> ResultTiles::findTileNumbers(ValueRange indices) {
  if (pairs)
    return findPairedTile(indices);
  unsigned rowDim = phases.front().getView().getRowDim();
  bool hasClusters = schedule.getClusterSize() > 1;
  SmallVector<Value> numbers(indices.drop_back(hasClusters ? 2 : 0));
  if (schedule.getKn2row())
    std::swap(numbers.back(), numbers[rowDim]);
  if (phases.size() > 1)
    numbers[rowDim] =
        emitPhaseOrder(builder, loc, numbers[rowDim], getFirstClusters(),
                       llvm::divideCeil(countColumnTiles(), clusterN) *
                           phases.front().getView().getGroups(),
                       chip.multiprocessors);
  if (!hasClusters) {
    findPhase(numbers[rowDim]);
    return numbers;
  }
  ValueRange rank = indices.take_back(2);
  numbers[rowDim] = getNumberInCluster(numbers[rowDim], rank[0], clusterM);
  numbers.back() = getNumberInCluster(numbers.back(), rank[1], clusterN);
  findPhase(numbers[rowDim]);
  if (llvm::any_of(phases.scatters, [&](ScatterOp scatter) {
        return countRowTiles(scatter) % clusterM != 0;
      }))
    numbers[rowDim] = clampRow(numbers[rowDim]);
  if (int64_t tiles = countColumnTiles(); tiles % clusterN != 0)
    numbers.back() = arith::MinUIOp::create(
        builder, loc, numbers.back(),
        arith::ConstantIndexOp::create(builder, loc, tiles - 1));
  return numbers;
}

//===----------------------------------------------------------------------===//
// Pairs of phases
//===----------------------------------------------------------------------===//

std::optional<PhasePairs> ResultTiles::getPairs() const {
  if (!phases.front().getChannelsFirst())
    return std::nullopt;
  Value factor = phases.contraction->getOperand(0);
  return findPhasePairs(schedule, phases.scatters,
                        getElementTypeOrSelf(factor.getType()));
}

/// The number of the first rows of tiles of each pair, and the one after the
/// last.
SmallVector<int64_t> ResultTiles::getFirstPairs() const {
  SmallVector<int64_t> first = {0};
  for (PhasePairs::Pair pair : pairs->pairs)
    first.push_back(first.back() + countRowTiles(phases.scatters[pair.even]));
  return first;
}

int64_t ResultTiles::countPairRounds() const {
  return conv::countPairRounds(
      schedule, getFirstPairs().back() * countColumnTiles(), chip);
}

/// A workgroup has every tile that is as many away as there are workgroups.
/// Those of one team are the two of a pair, then those of another pair; teams
/// take turns between them. Where pairs run out, some are made once more.
SmallVector<Value> ResultTiles::findPairedTile(ValueRange indices) {
  unsigned rowDim = phases.front().getView().getRowDim();
  int64_t teams = schedule.getTeams(), columns = countColumnTiles();
  SmallVector<int64_t> firstPairs = getFirstPairs();
  IndexMath math(builder, loc);
  Value turn = indices[rowDim];
  Value team = math.rem(turn, teams);
  Value isOdd = math.rem(math.div(turn, teams), 2);
  Value round = math.add(math.mul(math.div(turn, 2 * teams), teams), team);
  Value number = math.add(
      math.mul(round, getPersistentWorkgroups(schedule, chip)), indices.back());
  number = math.rem(number, firstPairs.back() * columns);

  Value row = emitPhaseOrder(builder, loc, math.div(number, columns),
                             firstPairs, columns, chip.multiprocessors);
  // Where the pair of a row of tiles begins, and each of its phases.
  SmallVector<int64_t> tables[2];
  for (PhasePairs::Pair pair : pairs->pairs) {
    tables[0].push_back(firstTiles[pair.even]);
    tables[1].push_back(firstTiles[pair.odd]);
  }
  Value pair = math.constant(0);
  for (int64_t first : ArrayRef(firstPairs).drop_front().drop_back())
    pair = math.select(math.isBelow(row, first), pair, math.add(pair, 1));
  Value inPair =
      math.sub(row, lookUpEntry(math, pair, ArrayRef(firstPairs).drop_back()));
  Value first = math.select(math.isBelow(isOdd, int64_t(1)),
                            lookUpEntry(math, pair, tables[0]),
                            lookUpEntry(math, pair, tables[1]));
  SmallVector<Value> numbers(indices);
  numbers[rowDim] = math.add(first, inPair);
  numbers.back() = math.rem(number, columns);
  findPhase(numbers[rowDim]);
  return numbers;
}

//===----------------------------------------------------------------------===//
// The tile
//===----------------------------------------------------------------------===//

Tile ResultTiles::find(ValueRange indices) {
  Tile tile;
  tile.sizes = getTileSizes();
  unsigned rowDim = phases.front().getView().getRowDim();
  SmallVector<Value> numbers = findTileNumbers(indices);
  AffineExpr number, first;
  bindDims(builder.getContext(), number, first);
  for (auto [dim, size] : llvm::enumerate(tile.sizes)) {
    OpFoldResult origin = dim == rowDim
                              ? lookUp(ArrayRef(firstTiles).drop_back())
                              : builder.getIndexAttr(0);
    tile.offsets.push_back(affine::makeComposedFoldedAffineApply(
        builder, loc, (number - first) * size,
        {OpFoldResult(numbers[dim]), origin}));
  }
  return tile;
}
