//===- RawRowRing.cpp - boxes of images beside a ring of tiles ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output: `engine.load_box … skewed` of each image that a tile touches, and
// `engine.deskew_rows`, which makes the tile.
//
//===----------------------------------------------------------------------===//

#include "RawRowRing.h"

#include "Support/IndexMath.h"
#include "Support/TileChunks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::RawRows;
using convmlir::SkewedLines;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void RawRowRing::createMemory() {
  source = getImages(builder, getGathered());
  createRing({slots.raw.boxes, slots.channels, slots.raw.boxPositions});
}

int64_t RawRowRing::countParts(Im2colOp copy) const {
  return cast<MemRefType>(copy.getDest().getType()).getDimSize(0) /
         slots.channels;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

RawRowPlaces::RawRowPlaces(IndexMath &math, const RawRows &raw, Value first)
    : raw(raw), first(first) {
  start = math.sub(first, math.rem(first, SkewedLines::kUnit));
  Value end = math.add(first, raw.rows);
  Value isWithin = math.isBelow(end, raw.lines.positions);
  end = math.select(isWithin, end, math.constant(raw.lines.positions));
  ofFirst = countBoxes(math, math.sub(end, start));
}

/// That hold so many positions from the beginning of one on.
Value RawRowPlaces::countBoxes(IndexMath &math, Value positions) const {
  int64_t others = raw.lines.getMostSkew() + raw.boxPositions - 1;
  return math.div(math.add(positions, others), raw.boxPositions);
}

Value RawRowPlaces::getNumber(IndexMath &math) const {
  int64_t positions = raw.lines.positions;
  Value last = math.add(first, raw.rows - 1);
  Value image = math.div(last, positions);
  Value ofLast = countBoxes(math, math.add(math.rem(last, positions), 1));
  Value all =
      math.add(math.add(ofFirst, math.mul(math.sub(image, math.constant(1)),
                                          raw.getBoxesOf(positions))),
               ofLast);
  return math.select(math.isBelow(image, int64_t(1)), ofFirst, all);
}

std::pair<Value, Value> RawRowPlaces::getBox(IndexMath &math,
                                             int64_t number) const {
  int64_t perImage = raw.getBoxesOf(raw.lines.positions);
  Value index = math.constant(number);
  Value isOfFirst = math.isBelow(index, ofFirst);
  // Of the images behind the first one.
  Value behind = math.sub(index, ofFirst);
  Value image = math.add(math.div(behind, perImage), 1);
  Value inImage = math.rem(behind, perImage);
  return {math.select(isOfFirst, math.constant(0), image),
          math.select(isOfFirst, math.add(start, number * raw.boxPositions),
                      math.mul(inImage, raw.boxPositions))};
}

std::pair<Value, Value> RawRowPlaces::getPosition(IndexMath &math, Value row,
                                                  Value skew) const {
  int64_t positions = raw.lines.positions;
  Value image = math.div(row, positions);
  Value isOfFirst = math.isBelow(image, int64_t(1));
  Value behind = math.add(ofFirst, math.mul(math.sub(image, math.constant(1)),
                                            raw.getBoxesOf(positions)));
  Value before = math.select(isOfFirst, math.constant(0), behind);
  Value inImage =
      math.select(isOfFirst, math.sub(row, start), math.rem(row, positions));
  inImage = math.add(inImage, skew);
  return {math.add(before, math.div(inImage, raw.boxPositions)),
          math.rem(inImage, raw.boxPositions)};
}

//===----------------------------------------------------------------------===//
// A block
//===----------------------------------------------------------------------===//

/// Boxes that the tile has no row of are not loaded.
void RawRowRing::emitLoads(Im2colOp copy, ValueRange offsets, int64_t part,
                           RingBarriers &barriers, RingPosition position) {
  const RawRows &raw = slots.raw;
  Location loc = copy.getLoc();
  IndexMath math(builder, loc);
  Value row = offsets[copy.getView().getRowDim()];
  Value channel = math.add(offsets.back(), part * slots.channels);
  Value image = math.div(row, raw.lines.positions);
  RawRowPlaces places(math, raw, math.rem(row, raw.lines.positions));
  barriers.emitFill(position, math.mul(places.getNumber(math),
                                       raw.getBoxBytes(slots.channels)));
  Value boxes = getPart(builder, ring, position.slot);
  for (int64_t i = 0; i < raw.boxes; ++i) {
    Value isTouched;
    if (i > 0)
      isTouched = math.isBelow(math.constant(i), places.getNumber(math));
    auto [number, start] = places.getBox(math, i);
    SmallVector<Value> place = {math.add(image, number), channel, start};
    Operation *branch = math.guard(isTouched, [&] {
      markLoader(LoadBoxOp::create(builder, loc, source, place,
                                   getPart(builder, boxes, math.constant(i)),
                                   barriers.getFull(), position.slot,
                                   /*to_tf32=*/false, /*dense=*/false,
                                   /*skewed=*/true));
    });
    if (branch)
      markLoader(branch);
  }
}

void RawRowRing::emitPart(Im2colOp copy, ValueRange offsets, int64_t part,
                          Value tile, Value slot) {
  markProducers(
      DeskewRowsOp::create(builder, copy.getLoc(), getPart(builder, ring, slot),
                           offsets[copy.getView().getRowDim()], tile,
                           part * slots.channels, slots.raw.lines.positions),
      countWarps());
}
