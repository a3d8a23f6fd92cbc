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
#include "conv/Dialect/Conv/IR/TailParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::conv;

Rounds conv::divideIntoRounds(ScheduleAttr schedule, int64_t tiles) {
  int64_t workgroups = getPersistentWorkgroups(schedule);
  return {tiles / workgroups * workgroups, tiles % workgroups};
}

TailItems::TailItems(ScheduleAttr schedule, ArrayRef<int64_t> allCounts,
                     int64_t blocks)
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
  if (hasEvenTail(schedule))
    even = {getPersistentWorkgroups(schedule), rest, blocks};
}

std::string TailItems::whyNone() const {
  if (even)
    return clusterSize == 1 ? whyNoEvenParts(*even)
                            : "even parts have no kernel with clusters";
  return whole > 0 && rest > 0 ? ""
                               : "a tail is of tiles that are left after whole "
                                 "rounds of workgroups";
}

/// Even parts are in rounds of as many items as there are workgroups, of which
/// only fillers have more than one.
SmallVector<int64_t> TailItems::getLoopCounts() const {
  int64_t items = whole + (even ? (even->getMostItems() - 1) * even->workgroups +
                                      even->getFillers()
                                : rest * parts);
  SmallVector<int64_t> loop = {items};
  llvm::append_range(loop, clusterCounts);
  return loop;
}

int64_t TailItems::getSlots() const {
  return even ? even->getSlots() : getRestTiles() * parts;
}

/// Those of the whole rounds, and one part or those of a filler, whose number
/// is lower than that of fillers.
AffineMap TailItems::getItemsOfWorkgroup(MLIRContext *context) const {
  if (!even)
    return AffineMap();
  int64_t fillers = even->getFillers(), all = even->getAllFilled();
  int64_t filled = even->getFilled(), before = whole / even->workgroups;
  AffineExpr workgroup = getAffineDimExpr(0, context);
  AffineExpr first = (workgroup * all).floorDiv(fillers);
  AffineExpr last = ((workgroup + 1) * all).floorDiv(fillers) - 1;
  AffineExpr tiles = last.floorDiv(filled) - first.floorDiv(filled) + 1;
  AffineExpr others = workgroup.floorDiv(fillers) * even->tiles * fillers;
  return AffineMap::get(
      1, 0,
      {getAffineConstantExpr(before + 1, context), tiles - others + before},
      context);
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
  if (even)
    return findEven(math, number);
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

/// Of a round, fillers come first, then the parts 0 of all tiles, the parts 1
/// and so on.
TailItems::Item TailItems::findEven(IndexMath &math, Value number) const {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  Item item;
  Value place = number;
  if (whole > 0) {
    item.isWhole = math.isBelow(number, whole);
    item.isPart =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, number,
                              math.constant(whole));
    place = math.select(item.isPart, math.sub(number, math.constant(whole)),
                   math.constant(0));
  }
  int64_t fillers = even->getFillers(), all = even->getAllFilled();
  int64_t filled = even->getFilled(), parts = even->getParts();
  Value workgroup = math.rem(place, even->workgroups);
  Value isFiller = math.isBelow(workgroup, fillers);

  // What a filler has, in blocks of all tiles.
  Value filler = math.select(isFiller, workgroup, math.constant(0));
  Value first = math.div(math.mul(filler, all), fillers);
  Value end = math.div(math.mul(math.add(filler, 1), all), fillers);
  Value filledTile = math.add(math.div(first, filled),
                              math.div(place, even->workgroups));
  Value firstOfTile = math.mul(filledTile, filled);
  Value begin = arith::MaxUIOp::create(builder, loc, first, firstOfTile);
  Value endOfTile = math.add(firstOfTile, filled);
  end = arith::MinUIOp::create(builder, loc, end, endOfTile);

  Value other = math.select(isFiller, math.constant(0),
                       math.sub(workgroup, math.constant(fillers)));
  Value part = math.div(other, rest);
  int64_t each = even->getFirstFilled() / parts;
  int64_t more = even->getFirstFilled() % parts;
  Value firstBlock = math.mul(part, each), blocks = math.constant(each);
  if (more > 0) {
    Value before =
        arith::MinUIOp::create(builder, loc, part, math.constant(more));
    firstBlock = math.add(firstBlock, before);
    blocks = math.select(math.isBelow(part, more), math.constant(each + 1),
                         blocks);
  }

  Value tile = math.select(isFiller, filledTile, math.rem(other, rest));
  item.slot = math.select(isFiller,
                     math.add(math.add(filler, filledTile), parts * rest),
                     other);
  item.firstBlock =
      math.select(isFiller,
             math.add(math.sub(begin, firstOfTile), even->getFirstFilled()),
             firstBlock);
  item.blocks = math.select(isFiller, math.sub(end, begin), blocks);
  tile = math.add(tile, whole);
  if (whole > 0) {
    tile = math.select(item.isPart, tile, number);
    item.firstBlock = math.select(item.isPart, item.firstBlock, math.constant(0));
    item.blocks =
        math.select(item.isPart, item.blocks, math.constant(even->blocks));
  }
  item.indices = divide(math, tile);
  return item;
}

int64_t TailItems::getMostParts() const {
  return even ? even->getParts() + even->getMostFillersOfTile() : parts;
}

TailItems::Slot TailItems::findSlot(OpBuilder &builder, Location loc,
                                    Value part, Value tile) const {
  AffineExpr p, r;
  bindDims(builder.getContext(), p, r);
  OpFoldResult slot = affine::makeComposedFoldedAffineApply(
      builder, loc, p * getRestTiles() + r, {OpFoldResult(part), tile});
  IndexMath math(builder, loc);
  if (!even)
    return {math.toValue(slot), Value()};
  // Fillers that have the first and the last filled block of the tile.
  int64_t parts = even->getParts(), fillers = even->getFillers();
  auto findFiller = [&](Value block) {
    Value end = math.mul(math.add(block, 1), fillers);
    return math.div(math.sub(end, math.constant(1)), even->getAllFilled());
  };
  Value firstBlock = math.mul(tile, even->getFilled());
  Value first = findFiller(firstBlock);
  Value last = findFiller(math.add(firstBlock, even->getFilled() - 1));
  Value isPart = math.isBelow(part, parts);
  Value filler = math.add(
      first, math.select(isPart, math.constant(0),
                         math.sub(part, math.constant(parts))));
  Value isThere = arith::CmpIOp::create(builder, loc,
                                        arith::CmpIPredicate::ule, filler, last);
  filler = arith::MinUIOp::create(builder, loc, filler, last);
  Value ofFiller = math.add(math.add(filler, tile), parts * rest);
  // Of no filler, the place of the last one.
  return {math.select(isPart, math.toValue(slot), ofFiller), isThere};
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
