//===- WgradRanking.cpp - candidates of wgrad with windows ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Ranking/WgradRanking.h"

#include "conv/Schedule/Forms/ImageTapSchedule.h"
#include "conv/Schedule/Forms/ImageTapShape.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Forms/WgradWindows.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/Model/ImageTapModel.h"
#include "conv/Schedule/Model/WgradWindowModel.h"
#include "conv/Schedule/Shape/KernelThreads.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Parts that could fill the chip once, twice or three times.
static SmallVector<int64_t> getSplits(int64_t tiles, int64_t blocks,
                                      const ChipInfo &chip) {
  SmallVector<int64_t> splits = {1};
  if (tiles == 0)
    return splits; // An empty result.
  for (int64_t rounds : {1, 2, 3}) {
    int64_t split = rounds * chip.multiprocessors / tiles;
    if (split > splits.back() && split <= blocks)
      splits.push_back(split);
  }
  return splits;
}

/// Those of a number of taps, warpgroups and positions, with the most stages,
/// or with one less where that makes room for the boxes of two blocks.
static void addWindowCandidates(const CandidateRequest &request, int64_t taps,
                                int64_t warpgroups, int64_t positions,
                                bool gather,
                                SmallVectorImpl<RankedSchedule> &ranked) {
  constexpr int64_t maxStages = 7;
  const GemmShape &gemm = request.gemm;
  const ChipInfo &chip = request.chip;
  int64_t line = convmlir::getLineChannels(gemm.n);
  auto get = [&](int64_t stages, int64_t split) {
    return ScheduleAttr::get(
        request.context, {.tile = {kWgradWindowRows, taps * line, positions},
                          .warps = {kWarpsPerWarpgroup, warpgroups},
                          .stages = stages,
                          .copy = CopyKind::Tma,
                          .mma = MmaKind::Wgmma,
                          .split = split,
                          .window = true,
                          .merge = gemm.variant.merge,
                          .fold = gemm.variant.fold,
                          .gather = gather,
                          .kMajor = gemm.wgrad.isKMajor});
  };
  int64_t stages = maxStages;
  while (stages > 1 && !whyIllegalOnHopper(get(stages, 1), gemm, chip).empty())
    --stages;
  if (stages == 1)
    return;
  auto countBoxSlots = [&](int64_t depth) {
    ScheduleAttr schedule = get(depth, 1);
    return getBoxSlots(*getWgradWindow(schedule, gemm), schedule, gemm);
  };
  SmallVector<int64_t, 2> depths = {stages};
  if (stages > 3 && countBoxSlots(stages) < countBoxSlots(stages - 1))
    depths.insert(depths.begin(), stages - 1);
  auto add = [&](ScheduleAttr schedule) {
    ranked.push_back({schedule, getWgradWindowCycles(schedule, gemm, chip)});
  };
  int64_t blocks = getWgradWindow(get(stages, 1), gemm)->getBlocks();
  for (int64_t depth : depths) {
    ScheduleAttr whole = get(depth, 1);
    for (int64_t split : getSplits(countTiles(whole, gemm), blocks, chip))
      add(get(depth, split));
    for (ScheduleAttr withTail : addTails(whole, gemm))
      add(withTail);
  }
}

void conv::addWgradWindows(const CandidateRequest &request,
                           SmallVectorImpl<RankedSchedule> &ranked) {
  const GemmShape &gemm = request.gemm;
  if (gemm.wgrad.resultTaps < 2 || !gemm.views.window)
    return;
  SmallVector<bool, 2> gathers = {false};
  if (gemm.a.isTransposed || gemm.b.isTransposed)
    gathers.push_back(true);
  // As many as the accumulators hold.
  int64_t mostTaps = convmlir::getLineChannels(gemm.n) <= 16 ? 16 : 12;
  for (int64_t taps = 2; taps <= std::min(mostTaps, gemm.wgrad.resultTaps);
       ++taps)
    for (int64_t warpgroups : {1, 2, 3})
      for (int64_t positions :
           {64, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512})
        for (bool gather : gathers)
          addWindowCandidates(request, taps, warpgroups, positions, gather,
                              ranked);
}

//===----------------------------------------------------------------------===//
// Images in registers
//===----------------------------------------------------------------------===//

/// Those of a tile, with the most stages, and the parts that fill the chip.
static void addImageCandidates(const CandidateRequest &request,
                               ArrayRef<int64_t> tile, int64_t warpgroups,
                               SmallVectorImpl<RankedSchedule> &ranked) {
  constexpr int64_t maxStages = 6;
  const GemmShape &gemm = request.gemm;
  const ChipInfo &chip = request.chip;
  auto get = [&](int64_t stages, int64_t split) {
    return ScheduleAttr::get(request.context,
                             {.tile = ScheduleNumbers(tile),
                              .warps = {1, warpgroups * kWarpsPerWarpgroup},
                              .stages = stages,
                              .copy = CopyKind::Tma,
                              .mma = MmaKind::Wgmma,
                              .split = split,
                              .window = true,
                              .merge = gemm.variant.merge,
                              .fold = gemm.variant.fold,
                              .gather = true,
                              .kMajor = true});
  };
  // Narrow panels of dy have more descriptors than registers are left.
  constexpr int64_t leastPanel = 32, widestPanel = 64;
  if (tile[0] * tile[1] / (warpgroups * kWarpgroupSize) > kManySums &&
      tile[2] % leastPanel != 0 &&
      tile[2] % widestPanel != widestPanel - convmlir::ImageTaps::kStep)
    return;
  int64_t stages = maxStages;
  while (stages > 1 && !whyIllegalOnHopper(get(stages, 1), gemm, chip).empty())
    --stages;
  if (stages == 1)
    return;
  ScheduleAttr whole = get(stages, 1);
  auto add = [&](ScheduleAttr schedule) {
    ranked.push_back({schedule, getImageTapCycles(schedule, gemm, chip)});
  };
  int64_t blocks = countImageTapBlocks(whole, gemm);
  for (int64_t split : getSplits(countTiles(whole, gemm), blocks, chip))
    add(get(stages, split));
  for (ScheduleAttr withTail : addTails(whole, gemm))
    add(withTail);
}

void conv::addImageTaps(const CandidateRequest &request,
                        SmallVectorImpl<RankedSchedule> &ranked) {
  const GemmShape &gemm = request.gemm;
  if (!gemm.wgrad.isKMajor || !gemm.b.isTransposed || !gemm.views.window)
    return;
  const convmlir::MatrixView &view = *gemm.views.window;
  int64_t ofRow = view.taps[view.spatialRank - 1];
  SmallVector<int64_t, 2> numbers = {gemm.wgrad.resultTaps};
  if (ofRow > 1 && ofRow < gemm.wgrad.resultTaps)
    numbers.push_back(ofRow);
  for (int64_t taps : numbers)
    for (int64_t warpgroups : {1, 2, 3})
      for (int64_t filters :
           {32, 48, 64, 80, 88, 96, 104, 112, 128, 160, 192, 256})
        for (int64_t positions : {64, 80, 96, 112, 128, 160, 192, 224, 256})
          addImageCandidates(
              request, {filters, taps * kRowsOfWgmma * warpgroups, positions},
              warpgroups, ranked);
}
