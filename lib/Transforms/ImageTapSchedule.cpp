//===- ImageTapSchedule.cpp - wgrad with images in registers --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a schedule, or a problem. Output: the limit that the schedule breaks,
// or the candidates and their modelled times.
//
//===----------------------------------------------------------------------===//

#include "ImageTapSchedule.h"

#include "HopperModel.h"
#include "HopperSchedule.h"
#include "KMajorWgrad.h"
#include "KernelThreads.h"
#include "TailSchedule.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/TailParts.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ImageTaps;
using llvm::formatv;

/// Positions of an instruction, and of a block.
static constexpr int64_t kStep = RegisterMmaOp::kStep, kMostPositions = 256;

convmlir::Result<ImageTaps> conv::getImageTaps(ScheduleAttr schedule,
                                               const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile();
  const convmlir::MatrixView &view = *gemm.windowView;
  auto taps = convmlir::getTapBox(view.taps, view.spatialRank,
                                  tile[1] / getTapChannels(schedule, gemm.n));
  if (!taps)
    return taps.takeError();
  return convmlir::getImageTaps(view, *taps, tile[2]);
}

int64_t conv::countImageTapBlocks(ScheduleAttr schedule,
                                  const GemmShape &gemm) {
  return gemm.phases.front().taps *
         llvm::divideCeil(gemm.channels, schedule.getTile()[2]);
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

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

/// Of the ring, whose two operands begin at multiples of kBarrierBytes.
static int64_t getRingBytes(ScheduleAttr schedule, const GemmShape &gemm,
                            const ImageTaps &block) {
  int64_t stages = schedule.getStages();
  int64_t x = stages * block.getBytes(getTapChannels(schedule, gemm.n));
  int64_t stored = getStoredPositions(schedule, x + kBarrierBytes);
  int64_t dy = stages * schedule.getTile()[0] * stored * gemm.elementBytes;
  return llvm::alignTo(dy, kBarrierBytes) + llvm::alignTo(x, kBarrierBytes);
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
  if (gemm.sumsRows)
    return "images in registers have no sums of rows of dy, the gradient of a "
           "bias";
  if (schedule.getSplit() == 1 && (gemm.readResults > 0 || gemm.readsVectors))
    return "an epilogue that reads tensors, as accumulation does, wants parts "
           "of gemm-k (split-k) with images in registers";
  return "";
}

std::string conv::whyIllegalImageTaps(ScheduleAttr schedule,
                                      const GemmShape &gemm,
                                      const ChipInfo &chip) {
  if (!gemm.isKMajor || !schedule.getGather() || !gemm.isTransposedB)
    return "warps along gemm-n of wgrad take images with their channels first "
           "into registers, with window, gather and k-major";
  if (!gemm.windowView)
    return "input dilation and flipped filters have no images in registers";
  if (std::string why = whyIllegalShape(schedule, gemm); !why.empty())
    return why;
  auto block = getImageTaps(schedule, gemm);
  if (!block)
    return "images in registers: " + block.error();
  if (schedule.getStages() < 2 || schedule.getStages() > 12)
    return formatv("stages must be 2 to 12, but is {0}", schedule.getStages());
  if (schedule.getTeams() > 1 || schedule.getClusterSize() > 1 ||
      schedule.getStaging() > 0)
    return "teams, clusters and staging have no images in registers";
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
  return whyNotResident(schedule,
                        ::getRingBytes(schedule, gemm, *block) + kBarrierBytes,
                        schedule.getTile()[0], chip);
}

std::string conv::whyNoImageTapBoxes(ConvOpInterface op,
                                     ScheduleAttr schedule) {
  return whyNoImageTiles(op, schedule.getTile()[0], schedule.getTile()[2]);
}

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

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

/// Cycles as in WgradWindows.cpp.
static double getCycles(ScheduleAttr schedule, const GemmShape &gemm,
                        const ChipInfo &chip) {
  ImageTaps block = *getImageTaps(schedule, gemm);
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t split = schedule.getSplit();
  // Of all warpgroups.
  double steps =
      tile[2] / double(kStep) * schedule.getWarps()[1] / kWarpsPerWarpgroup;
  double products = steps * block.numTaps() * tile[0] / 2;
  double ofDy = steps * block.numTaps() * tile[0] * kStep * gemm.elementBytes;
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
  double time =
      kCyclesPerLaunch + getTileCycles(schedule, gemm, chip,
                                       countImageTapBlocks(schedule, gemm),
                                       cycles, end, partEnd);
  if (split > 1)
    time += getSumCycles(double(gemm.getResults()) * split, chip);
  return time + getTailSumCycles(schedule, gemm, chip);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Those of a tile, with the most stages, and the parts that fill the chip.
static void addCandidates(MLIRContext *context, const GemmShape &gemm,
                          const ChipInfo &chip, ArrayRef<int64_t> tile,
                          int64_t warpgroups,
                          SmallVectorImpl<RankedSchedule> &ranked) {
  constexpr int64_t maxStages = 6;
  auto get = [&](int64_t stages, int64_t split) {
    return ScheduleAttr::get(
        context, Algorithm::ImplicitGemm, tile,
        {1, warpgroups * kWarpsPerWarpgroup}, stages, CopyKind::Tma,
        MmaKind::Wgmma, split, /*cluster=*/{}, /*resident=*/1, /*teams=*/1,
        /*window=*/true, /*staging=*/0, gemm.merge, /*tail=*/1, gemm.fold,
        /*gather=*/true, /*kMajor=*/true, /*kn2row=*/false);
  };
  // Narrow panels of dy have more descriptors than registers are left.
  constexpr int64_t leastPanel = 32, widestPanel = 64;
  if (tile[0] * tile[1] / (warpgroups * kWarpgroupSize) > kManySums &&
      tile[2] % leastPanel != 0 && tile[2] % widestPanel != widestPanel - kStep)
    return;
  int64_t stages = maxStages;
  while (stages > 1 && !whyIllegalOnHopper(get(stages, 1), gemm, chip).empty())
    --stages;
  if (stages == 1)
    return;
  ScheduleAttr whole = get(stages, 1);
  auto add = [&](ScheduleAttr schedule) {
    ranked.push_back({schedule, getCycles(schedule, gemm, chip)});
  };
  add(whole);
  int64_t tiles = countTiles(whole, gemm), last = 1;
  int64_t blocks = countImageTapBlocks(whole, gemm);
  for (int64_t rounds : {1, 2, 3}) {
    int64_t split = tiles > 0 ? rounds * chip.multiprocessors / tiles : 0;
    if (split > last && split <= blocks)
      add(get(stages, last = split));
  }
  for (ScheduleAttr withTail : addTails(whole, gemm))
    add(withTail);
}

void conv::addImageTaps(MLIRContext *context, const GemmShape &gemm,
                        const ChipInfo &chip,
                        SmallVectorImpl<RankedSchedule> &ranked) {
  if (!gemm.isKMajor || !gemm.isTransposedB || !gemm.windowView)
    return;
  const convmlir::MatrixView &view = *gemm.windowView;
  int64_t ofRow = view.taps[view.spatialRank - 1];
  SmallVector<int64_t, 2> numbers = {gemm.resultTaps};
  if (ofRow > 1 && ofRow < gemm.resultTaps)
    numbers.push_back(ofRow);
  for (int64_t taps : numbers)
    for (int64_t warpgroups : {1, 2, 3})
      for (int64_t filters :
           {32, 48, 64, 80, 88, 96, 104, 112, 128, 160, 192, 256})
        for (int64_t positions : {64, 80, 96, 112, 128, 160, 192, 224, 256})
          addCandidates(context, gemm, chip,
                        {filters, taps * kRowsOfWgmma * warpgroups, positions},
                        warpgroups, ranked);
}
