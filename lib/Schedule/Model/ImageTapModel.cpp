//===- ImageTapModel.cpp - time of wgrad with images in registers ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/ImageTapModel.h"

#include "conv/Schedule/Forms/ImageTapShape.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;
using convmlir::ImageTaps;

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
  double steps = tile[2] / double(ImageTaps::kStep) * schedule.getWarps()[1] /
                 kWarpsPerWarpgroup;
  double products = steps * block.numTaps() * tile[0] / 2;
  double ofDy = steps * block.numTaps() * tile[0] * ImageTaps::kStep *
                gemm.elementBytes;
  double copied = double(tile[0]) * tile[2] * gemm.elementBytes +
                  block.getBytes(getTapChannels(schedule, gemm.n));
  double shared =
      (steps * block.tapRows * getWordBytes(block) + ofDy + copied) /
      kWordBytesPerCycle;
  double copies = copied / kCopyBytesPerCycle;
  double cycles = std::max({kWordFactor * products, shared, copies}) +
                  kPowerOfCopies * copies + kCyclesPerWordBlock;
  double partEnd = getStoreCycles(schedule, kPartBytes);
  double end = split > 1 ? partEnd : kCyclesPerStoredSum * tile[0] * tile[1];
  int64_t blocks = countImageTapBlocks(schedule, gemm);
  double kernel =
      getTileCycles(schedule, gemm, chip, blocks, cycles, end, partEnd);
  if (parts) {
    parts->add(TimePart::Products, kWordFactor * products);
    parts->add(TimePart::Shared, shared);
    parts->add(TimePart::Copies, copies);
    parts->add(TimePart::Fixed, kCyclesPerWordBlock);
    double mine = llvm::divideCeil(blocks, split);
    parts->spread(mine, end, mine * cycles + end, kernel);
  }
  double time = kernel + note(parts, TimePart::Launch, kCyclesPerTapsLaunch);
  if (split > 1)
    time += note(parts, TimePart::Sums,
                 getSumCycles(double(gemm.getResults()) * split, chip));
  return time +
         note(parts, TimePart::Sums, getTailSumCycles(schedule, gemm, chip));
}
