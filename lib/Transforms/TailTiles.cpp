//===- TailTiles.cpp - tiles of the last round, in parts ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TailTiles.h"

#include "Clusters.h"
#include "IndexMath.h"

using namespace mlir;
using namespace mlir::conv;

Rounds conv::divideIntoRounds(ScheduleAttr schedule, int64_t tiles) {
  int64_t workgroups = getPersistentWorkgroups(schedule);
  return {tiles / workgroups * workgroups, tiles % workgroups};
}

TailItems::TailItems(ScheduleAttr schedule, ArrayRef<int64_t> allCounts)
    : counts(allCounts), clusterSize(schedule.getClusterSize()),
      parts(schedule.getTail()) {
  if (clusterSize > 1) {
    clusterCounts.assign(counts.end() - 2, counts.end());
    counts.truncate(counts.size() - 2);
  }
  int64_t tiles = llvm::product_of(counts, clusterSize);
  Rounds rounds = divideIntoRounds(schedule, tiles);
  whole = rounds.whole / clusterSize;
  rest = rounds.rest / clusterSize;
}

SmallVector<int64_t> TailItems::getLoopCounts() const {
  SmallVector<int64_t> loop = {whole + rest * parts};
  llvm::append_range(loop, clusterCounts);
  return loop;
}

/// Takes the digits of a number with these extents out of it, the last one
/// fastest; what is left stays in `number`.
static SmallVector<Value> takeDigits(IndexMath &math, Value &number,
                                     ArrayRef<int64_t> extents) {
  SmallVector<Value> digits(extents.size());
  for (size_t i = digits.size(); i-- > 0;) {
    digits[i] = math.rem(number, extents[i]);
    number = math.div(number, extents[i]);
  }
  return digits;
}

/// The indices of a tile, or cluster, from its number; the last one is fastest.
SmallVector<Value> TailItems::divide(IndexMath &math, Value number) const {
  SmallVector<Value> others =
      takeDigits(math, number, ArrayRef(counts).drop_front());
  SmallVector<Value> indices = {number};
  llvm::append_range(indices, others);
  return indices;
}

/// Neighbours in time have the same part of different tiles: what they load is
/// of the same blocks of gemm-k.
TailItems::Item TailItems::find(OpBuilder &builder, Location loc,
                                ValueRange indices) const {
  IndexMath math(builder, loc);
  Value number = indices.front();
  Item item;
  item.isWhole = math.isBelow(number, whole);
  item.isPart = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                      number, math.constant(whole));
  // Of whole tiles: no numbers that would not be used all the same.
  Value place = math.select(item.isPart, math.sub(number, math.constant(whole)),
                            math.constant(0));
  item.part = math.div(place, rest);
  Value tile =
      math.select(item.isPart, math.add(math.rem(place, rest), whole), number);
  item.indices = divide(math, tile);
  item.slot = place;
  for (auto [index, count] :
       llvm::zip_equal(indices.drop_front(), clusterCounts)) {
    item.indices.push_back(index);
    item.slot = math.add(math.mul(item.slot, count), index);
  }
  return item;
}

SmallVector<Value> TailItems::findRestTile(OpBuilder &builder, Location loc,
                                           Value number) const {
  IndexMath math(builder, loc);
  SmallVector<Value> places = takeDigits(math, number, clusterCounts);
  SmallVector<Value> indices = divide(math, math.add(number, whole));
  llvm::append_range(indices, places);
  return indices;
}

//===----------------------------------------------------------------------===//
// Workspace
//===----------------------------------------------------------------------===//

static int64_t countTaps(ArrayRef<int64_t> tileSizes, unsigned rowDim) {
  return llvm::product_of(tileSizes.drop_front(rowDim + 1).drop_back(),
                          int64_t(1));
}

RankedTensorType conv::getTailWorkspaceType(ArrayRef<int64_t> tileSizes,
                                            unsigned rowDim, int64_t slots,
                                            Type element) {
  int64_t lines = tileSizes[rowDim] * countTaps(tileSizes, rowDim);
  return RankedTensorType::get({slots, lines, tileSizes.back()}, element);
}

ViewAttr conv::getTailWorkspaceView(MLIRContext *context,
                                    ArrayRef<int64_t> tileSizes,
                                    unsigned rowDim) {
  int64_t rows = tileSizes[rowDim], taps = countTaps(tileSizes, rowDim);
  return ViewAttr::get(context, rows, taps, /*stride=*/taps, /*step=*/1,
                       /*offset=*/0, /*groups=*/1, /*rowGroups=*/1,
                       /*strips=*/1);
}
