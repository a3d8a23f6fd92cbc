//===- ImageSlots.cpp - which tiles come as whole images ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/ImageSlots.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Resources.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using llvm::formatv;

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
