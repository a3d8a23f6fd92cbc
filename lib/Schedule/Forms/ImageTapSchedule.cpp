//===- ImageTapSchedule.cpp - wgrad with images in registers --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a schedule. Output: the limit that it breaks.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/ImageTapSchedule.h"

#include "conv/Schedule/Forms/ImageTapShape.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Schedule/Forms/KMajorWgrad.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ImageTaps;
using llvm::formatv;

/// Positions of an instruction, and of a block.
static constexpr int64_t kStep = ImageTaps::kStep, kMostPositions = 256;

static std::string whyIllegalShape(ScheduleAttr schedule,
                                   const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  constexpr int64_t unit = 8, most = 256, mostWarps = 12;
  if (warps[0] != 1 || warps[1] > mostWarps)
    return formatv("images in registers want 1 by 4, 8 or 12 warps, each four "
                   "with 64 channels, but the schedule has {0} by {1}",
                   warps[0], warps[1]);
  if (tile[0] % unit != 0 || tile[0] > most)
    return formatv("tile gemm-m ({0}) must be a multiple of {1} filters up to "
                   "{2} with images in registers",
                   tile[0], unit, most);
  if (int64_t channels = getTapChannels(schedule, gemm.n);
      tile[1] % channels != 0 || tile[1] < 2 * channels)
    return formatv("tile gemm-n ({0}) must be {1} channels of each of two or "
                   "more taps with images in registers",
                   tile[1], channels);
  if (tile[2] % kStep != 0 || tile[2] > kMostPositions)
    return formatv("tile gemm-k ({0}) must be a multiple of {1} positions up "
                   "to {2} with images in registers",
                   tile[2], kStep, kMostPositions);
  return "";
}

/// Two operands, which begin at multiples of kBarrierBytes.
int64_t conv::getImageTapBytes(ScheduleAttr schedule, const GemmShape &gemm) {
  int64_t stages = schedule.getStages();
  int64_t x =
      stages *
      getImageTaps(schedule, gemm)->getBytes(getTapChannels(schedule, gemm.n));
  int64_t stored = getStoredPositions(schedule, x + kBarrierBytes);
  int64_t dy = stages * schedule.getTile()[0] * stored * gemm.elementBytes;
  return llvm::alignTo(dy, kBarrierBytes) + llvm::alignTo(x, kBarrierBytes) +
         kBarrierBytes;
}

/// A thread has words of three steps besides its sums: of products that run, of
/// those that are next, and those that it reads. With fewer registers `ptxas`
/// lets products wait for each other (C7512).
static std::string whyTooManySums(ScheduleAttr schedule,
                                  const GemmShape &gemm) {
  constexpr int64_t wordsOfTap = 12, others = 36, mostOfOne = 228;
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t taps = tile[1] / getTapChannels(schedule, gemm.n);
  int64_t sums = tile[0] * tile[1] / schedule.getThreads();
  int64_t most = shiftsRegisters(schedule)
                     ? getConsumerRegisters(schedule) - others
                     : mostOfOne;
  if (sums + wordsOfTap * taps <= most)
    return "";
  return formatv("{0} sums a thread and {1} words of images in registers, but "
                 "there is room for {2} in all; use fewer filters (gemm-m), "
                 "taps or warps",
                 sums, wordsOfTap * taps, most);
}

/// Epilogues are for the sums of a kernel that adds parts.
static std::string whyNoEpilogue(ScheduleAttr schedule, const GemmShape &gemm) {
  if (gemm.wgrad.sumsRows)
    return "images in registers have no sums of rows of dy, the gradient of a "
           "bias";
  if (schedule.getSplit() == 1 &&
      (gemm.epilogue.readResults > 0 || gemm.epilogue.readsVectors))
    return "an epilogue that reads tensors, as accumulation does, wants parts "
           "of gemm-k (split-k) with images in registers";
  return "";
}

std::string conv::whyIllegalImageTaps(ScheduleAttr schedule,
                                      const GemmShape &gemm,
                                      const ChipInfo &chip) {
  if (!gemm.wgrad.isKMajor || !schedule.getGather() || !gemm.b.isTransposed)
    return "warps along gemm-n of wgrad take images with their channels first "
           "into registers, with window, gather and k-major";
  if (!gemm.views.window)
    return "input dilation and flipped filters have no images in registers";
  if (std::string why = whyIllegalShape(schedule, gemm); !why.empty())
    return why;
  auto block = getImageTaps(schedule, gemm);
  if (!block)
    return "images in registers: " + block.error();
  if (schedule.getStages() < 2 || schedule.getStages() > 12)
    return formatv("stages must be 2 to 12, but is {0}", schedule.getStages());
  if (std::string why = whyNoEpilogue(schedule, gemm); !why.empty())
    return why;
  bool isTail = hasNumberedTail(schedule);
  int64_t parts = isTail ? schedule.getTail() : schedule.getSplit();
  if (int64_t blocks = countImageTapBlocks(schedule, gemm); parts > blocks)
    return formatv("{0} is {1}, but gemm-k has {2} blocks of {3}",
                   isTail ? "tail" : "split-k", parts, blocks,
                   schedule.getTile()[2]);
  if (std::string why = whyNoTail(schedule, gemm); !why.empty())
    return why;
  if (std::string why = whyTooManySums(schedule, gemm); !why.empty())
    return why;
  return whyNotResident(schedule, getImageTapBytes(schedule, gemm),
                        schedule.getTile()[0], chip);
}

std::string conv::whyNoImageTapBoxes(ConvOpInterface op,
                                     ScheduleAttr schedule) {
  return whyNoImageTiles(op, schedule.getTile()[0], schedule.getTile()[2]);
}
