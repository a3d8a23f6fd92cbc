//===- ImageTapModel.cpp - time of wgrad with images in registers ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/ImageTapModel.h"

#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Schedule/Forms/ImageTapShape.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ImageTaps;

/// Bytes that shared memory moves in a cycle: of 128, what eight problems had
/// whose products wait for it.
static constexpr double kSharedBytesPerCycle = 100;
/// Of the launch and of the first block.
static constexpr double kCyclesPerLaunch = 6500;
/// Products wait for words, and at the beginning of a block for the first ones:
/// blocks of 224 positions took 0.86 of the time of those of 112.
static constexpr double kProductsFactor = 1.12, kCyclesPerBlock = 250;
/// Of a sum that is stored at once, with those of seven neighbouring channels:
/// half a sector of 16-bit elements (16x16, 1280 channels).
static constexpr double kCyclesPerStoredSum = 0.4;

/// Bytes of shared memory that words of 16 positions of 64 channels take, for
/// the taps of a row of the filter: with a stride, lanes read every second
/// word, of half of the banks.
static double getWordBytes(const ImageTaps &block) {
  constexpr int64_t ofWarp = 128, warps = 4, pairs = 4;
  bool isStrided = block.columnStride > 1;
  int64_t words = block.tapColumns;
  if (words == 1 && (isStrided || block.column % 2 != 0))
    words = 2;
  return double(words * (isStrided ? 2 : 1) * pairs * warps * ofWarp);
}

double conv::getImageTapCycles(ScheduleAttr schedule, const GemmShape &gemm,
                               const ChipInfo &chip, TimeParts *parts) {
  ImageTaps block = *getImageTaps(schedule, gemm);
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t split = schedule.getSplit();
  // Of all warpgroups.
  double steps = tile[2] / double(RegisterMmaOp::kStep) *
                 schedule.getWarps()[1] / kWarpsPerWarpgroup;
  double products = steps * block.numTaps() * tile[0] / 2;
  double ofDy = steps * block.numTaps() * tile[0] * RegisterMmaOp::kStep *
                gemm.elementBytes;
  double copied = double(tile[0]) * tile[2] * gemm.elementBytes +
                  block.getBytes(getTapChannels(schedule, gemm.n));
  double shared =
      (steps * block.tapRows * getWordBytes(block) + ofDy + copied) /
      kSharedBytesPerCycle;
  double copies = copied / kCopyBytesPerCycle;
  double cycles = std::max({kProductsFactor * products, shared, copies}) +
                  kPowerOfCopies * copies + kCyclesPerBlock;
  double partEnd = getStoreCycles(schedule, kPartBytes);
  double end = split > 1 ? partEnd : kCyclesPerStoredSum * tile[0] * tile[1];
  int64_t blocks = countImageTapBlocks(schedule, gemm);
  double kernel =
      getTileCycles(schedule, gemm, chip, blocks, cycles, end, partEnd);
  if (parts) {
    parts->add(TimePart::Products, kProductsFactor * products);
    parts->add(TimePart::Shared, shared);
    parts->add(TimePart::Copies, copies);
    parts->add(TimePart::Fixed, kCyclesPerBlock);
    double mine = llvm::divideCeil(blocks, split);
    parts->spread(mine, end, mine * cycles + end, kernel);
  }
  double time = kernel + note(parts, TimePart::Launch, kCyclesPerLaunch);
  if (split > 1)
    time += note(parts, TimePart::Sums,
                 getSumCycles(double(gemm.getResults()) * split, chip));
  return time +
         note(parts, TimePart::Sums, getTailSumCycles(schedule, gemm, chip));
}
