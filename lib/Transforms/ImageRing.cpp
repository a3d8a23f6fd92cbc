//===- ImageRing.cpp - whole images beside a ring of tiles ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output: `conv.load_box … dense` of the channels of a block, of all images of
// a tile, and `conv.join_images`, which makes the tile.
//
//===----------------------------------------------------------------------===//

#include "ImageRing.h"

#include "HopperSchedule.h"
#include "IndexMath.h"
#include "TileChunks.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Transforms/Schedule.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Whether there are any
//===----------------------------------------------------------------------===//

/// Of 16-bit elements.
static constexpr int64_t kElementBytes = 2;

int64_t ImageSlots::getSlotBytes() const {
  return images * channels * positions * kElementBytes;
}

int64_t ImageSlots::getBytes() const {
  return getBoxSlotsBytes(slots, getSlotBytes());
}

/// The longest line of which there are a whole number in a run: short ones come
/// slowly. 0 where there is none.
static int64_t getLine(int64_t run) {
  constexpr int64_t unit = convmlir::kChunkBytes / kElementBytes;
  int64_t line = llvm::alignDown(std::min(run, convmlir::kMaxBoxExtent), unit);
  while (line > 0 && run % line != 0)
    line -= unit;
  return line;
}

/// A slot begins where TMA writes, at a multiple of 128 bytes.
convmlir::Result<ImageSlots> conv::getImageSlots(ScheduleAttr schedule,
                                                 int64_t positions,
                                                 int64_t channels) {
  constexpr int64_t slotUnit = 128;
  ArrayRef<int64_t> tile = schedule.getTile();
  if (!swapsOperands(schedule) || schedule.getWindow())
    return Error{"whole images are the columns of wgmma, without a window"};
  if (schedule.getWarps()[0] != 1)
    return Error{formatv("whole images have one warp along gemm-m, not {0}",
                         schedule.getWarps()[0])};
  if (positions == 0)
    return Error{"whole images are read by layers of one tap, without stride "
                 "and padding"};
  if (tile[0] % positions != 0)
    return Error{formatv("a tile of whole images has a multiple of their {0} "
                         "positions, not {1}",
                         positions, tile[0])};
  if (channels % tile[2] != 0)
    return Error{formatv("tile gemm-k ({0}) must divide the {1} channels of "
                         "whole images",
                         tile[2], channels)};
  ImageSlots result = {tile[0] / positions, tile[2], positions,
                       getLine(tile[2] * positions), kFewestBoxSlots};
  if (result.line == 0 || result.getLines() > convmlir::kMaxBoxExtent ||
      result.getSlotBytes() % slotUnit != 0)
    return Error{formatv("TMA copies whole images that are a multiple of {0} "
                         "bytes together, and of {1} each, but {2} of {3} "
                         "channels have {4} bytes",
                         slotUnit, convmlir::kChunkBytes, result.images,
                         result.channels, result.getSlotBytes())};
  int64_t slots = countBoxSlots(schedule, result.getSlotBytes());
  if (slots == 0)
    return Error{formatv(
        "{0} bytes of shared memory, {1} slots of whole images and what is "
        "staged of the result among them, but a workgroup has {2}",
        getTileSharedBytes(schedule, kElementBytes, kElementBytes) +
            result.getBytes(),
        result.slots, getSharedBytesPerWorkgroup(schedule))};
  result.slots = slots;
  return result;
}

convmlir::Result<ImageSlots> conv::getImageSlots(ScheduleAttr schedule,
                                                 ArrayRef<Im2colOp> copies) {
  Im2colOp gathered = findGatheredImages(copies);
  if (!gathered)
    return Error{"whole images are of one operand with its channels first, of "
                 "which all positions are read one by one"};
  return getImageSlots(schedule, gathered.getView().getRowsPerImage(),
                       gathered.getTensorShape().back());
}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

/// [image, line, element] of [image, channel, position].
static Value getRuns(OpBuilder &builder, Location loc, Value images,
                     int64_t line) {
  ArrayRef<int64_t> shape = cast<MemRefType>(images.getType()).getShape();
  SmallVector<ReassociationIndices> dims = {{0}, {1, 2}};
  Value runs = memref::CollapseShapeOp::create(builder, loc, images, dims);
  SmallVector<int64_t> lines = {shape[0], shape[1] * shape[2] / line, line};
  return memref::ExpandShapeOp::create(builder, loc, lines, runs, dims);
}

void ImageRing::createMemory() {
  Im2colOp copy = getGathered();
  Value images = getImages(builder, copy);
  OpBuilder behind(builder.getContext());
  setInsertionPointAfter(behind, images);
  source = getRuns(behind, copy.getLoc(), images, slots.line);
  createRing({slots.images, slots.channels, slots.positions});
}

/// Images past the last one become zero.
void ImageRing::emitLoads(Im2colOp copy, ValueRange offsets, int64_t,
                          RingBarriers &barriers, RingPosition position) {
  Location loc = copy.getLoc();
  IndexMath math(builder, loc);
  barriers.emitFill(position, slots.getSlotBytes());
  Value image = math.div(offsets[copy.getView().getRowDim()], slots.positions);
  Value line =
      math.mul(math.div(offsets.back(), slots.channels), slots.getLines());
  Value images = getPart(builder, ring, position.slot);
  Value box = getRuns(builder, loc, images, slots.line);
  markProducer(LoadBoxOp::create(builder, loc, source,
                                 ValueRange{image, line, math.constant(0)}, box,
                                 barriers.getFull(), position.slot,
                                 /*to_tf32=*/false, /*dense=*/true,
                                 /*skewed=*/false));
}

void ImageRing::emitPart(Im2colOp copy, ValueRange, int64_t, Value tile,
                         Value slot) {
  markProducers(JoinImagesOp::create(builder, copy.getLoc(),
                                     getPart(builder, ring, slot), tile),
                countWarps());
}
