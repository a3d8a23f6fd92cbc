//===- TailTiles.cpp - tiles of the last round, in parts ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TailTiles.h"

#include "Support/IndexMath.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Schedule/Shape/ClusterShape.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::conv;

TailItems::TailItems(ScheduleAttr schedule, ArrayRef<int64_t> allCounts,
                     int64_t blocks, const convmlir::ChipInfo &chip)
    : counts(allCounts), clusterSize(schedule.getClusterSize()),
      parts(schedule.getTail()) {
  if (clusterSize > 1) {
    clusterCounts.assign(counts.end() - 2, counts.end());
    counts.truncate(counts.size() - 2);
  }
  int64_t tiles = llvm::product_of(counts, clusterSize);
  Rounds rounds = divideIntoRounds(schedule, tiles, chip);
  whole = rounds.whole / clusterSize;
  rest = rounds.rest / clusterSize;
  if (hasEvenTail(schedule))
    even = {getPersistentWorkgroups(schedule, chip), rest, blocks};
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
  int64_t items =
      whole +
      (even ? (even->getMostItems() - 1) * even->workgroups + even->getFillers()
            : rest * parts);
  SmallVector<int64_t> loop = {items};
  llvm::append_range(loop, clusterCounts);
  return loop;
}

int64_t TailItems::getSlots() const {
  return even ? even->getSlots() : getRestTiles() * parts;
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

/// Of an item, its place behind the whole tiles; 0 of these: no numbers that
/// would not be used all the same.
Value TailItems::findPlace(IndexMath &math, Value number, Item &item) const {
  if (whole == 0)
    return number;
  item.isWhole = math.isBelow(number, whole);
  item.isPart = arith::CmpIOp::create(math.getBuilder(), math.getLoc(),
                                      arith::CmpIPredicate::uge, number,
                                      math.constant(whole));
  return math.select(item.isPart, math.sub(number, math.constant(whole)),
                     math.constant(0));
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
  Value place = findPlace(math, number, item);
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

//===----------------------------------------------------------------------===//
// Even parts
//===----------------------------------------------------------------------===//

namespace {
/// A part of gemm-k of a tile of the last round, by its number there.
struct EvenPart {
  Value tile, slot, firstBlock, blocks;
};
} // namespace

/// `condition` ? a : b
static EvenPart select(IndexMath &math, Value condition, EvenPart a,
                       EvenPart b) {
  return {math.select(condition, a.tile, b.tile),
          math.select(condition, a.slot, b.slot),
          math.select(condition, a.firstBlock, b.firstBlock),
          math.select(condition, a.blocks, b.blocks)};
}

/// What a filler has of the tile with this number among its own: of the filled
/// blocks of all tiles, counted through, those that are its own and the tile's.
static EvenPart findFilled(IndexMath &math, const EvenParts &parts,
                           Value filler, Value number) {
  OpBuilder &builder = math.getBuilder();
  int64_t all = parts.getAllFilled(), ofTile = parts.getFilled();
  auto findFirst = [&](Value filler) {
    return math.div(math.mul(filler, all), parts.getFillers());
  };
  Value first = findFirst(filler), end = findFirst(math.add(filler, 1));
  Value tile = math.add(math.div(first, ofTile), number);
  Value firstOfTile = math.mul(tile, ofTile);
  Value endOfTile = math.add(firstOfTile, ofTile);
  first = arith::MaxUIOp::create(builder, math.getLoc(), first, firstOfTile);
  end = arith::MinUIOp::create(builder, math.getLoc(), end, endOfTile);
  Value slot = math.add(math.add(filler, tile), parts.getParts() * parts.tiles);
  return {tile, slot,
          math.add(math.sub(first, firstOfTile), parts.getFirstFilled()),
          math.sub(end, first)};
}

/// The part of a workgroup that has one, by its number among these: as many
/// blocks as any other, or one more.
static EvenPart findPart(IndexMath &math, const EvenParts &parts,
                         Value number) {
  Value part = math.div(number, parts.tiles);
  int64_t each = parts.getFirstFilled() / parts.getParts();
  int64_t more = parts.getFirstFilled() % parts.getParts();
  Value first = math.mul(part, each), blocks = math.constant(each);
  if (more > 0) {
    Value before = arith::MinUIOp::create(math.getBuilder(), math.getLoc(),
                                          part, math.constant(more));
    first = math.add(first, before);
    blocks =
        math.select(math.isBelow(part, more), math.constant(each + 1), blocks);
  }
  return {math.rem(number, parts.tiles), number, first, blocks};
}

/// Of a round, fillers come first, then the parts 0 of all tiles, the parts 1
/// and so on.
TailItems::Item TailItems::findEven(IndexMath &math, Value number) const {
  Item item;
  Value place = findPlace(math, number, item);
  Value zero = math.constant(0), fillers = math.constant(even->getFillers());
  Value workgroup = math.rem(place, even->workgroups);
  Value isFiller = math.isBelow(workgroup, fillers);
  Value filler = math.select(isFiller, workgroup, zero);
  Value other = math.select(isFiller, zero, math.sub(workgroup, fillers));
  EvenPart part =
      select(math, isFiller,
             findFilled(math, *even, filler, math.div(place, even->workgroups)),
             findPart(math, *even, other));
  part.tile = math.add(part.tile, whole);
  if (whole > 0)
    part = select(math, item.isPart, part,
                  {number, zero, zero, math.constant(even->blocks)});
  item.indices = divide(math, part.tile);
  item.slot = part.slot;
  item.firstBlock = part.firstBlock;
  item.blocks = part.blocks;
  return item;
}

/// All items of the whole rounds, and one part or those of a filler: a number
/// that is lower than that of fillers. Of others the second result is less
/// than the first, for a filler has parts of as many tiles as there are at
/// most.
AffineMap TailItems::getItemsOfWorkgroup(MLIRContext *context) const {
  if (!even)
    return AffineMap();
  int64_t fillers = even->getFillers(), all = even->getAllFilled();
  int64_t filled = even->getFilled(), before = whole / even->workgroups;
  AffineExpr workgroup = getAffineDimExpr(0, context);
  AffineExpr first = (workgroup * all).floorDiv(fillers);
  AffineExpr last = ((workgroup + 1) * all).floorDiv(fillers) - 1;
  AffineExpr tiles = last.floorDiv(filled) - first.floorDiv(filled) + 1;
  AffineExpr others = workgroup.floorDiv(fillers) * even->tiles;
  return AffineMap::get(
      1, 0,
      {getAffineConstantExpr(before + 1, context), tiles - others + before},
      context);
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
  Value filler =
      math.add(first, math.select(isPart, math.constant(0),
                                  math.sub(part, math.constant(parts))));
  Value isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                        filler, last);
  // Where there is none, some place with sums.
  filler = arith::MinUIOp::create(builder, loc, filler, last);
  Value ofFiller = math.add(math.add(filler, tile), parts * rest);
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
