//===- ProducerRanking.cpp - schedules with TMA and mma.sync --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the implicit GEMMs of an operation. Output: the legal candidates whose
// operands a producer loads by TMA and whose warps multiply by mma.sync, by a
// model of their time. They are of wgrad in tf32, which wgmma multiplies from
// transposed copies only. The unit is that of HopperModel.h, so that the two
// can be compared.
//
// A block of gemm-k takes about as long as the slowest of its products, what
// lanes and copies move through shared memory, and its copies from the L2
// cache. Rates are estimates (docs/Performance.md) but for those of the L2
// cache and memory, which were fitted for kernels with wgmma.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Ranking/ProducerRanking.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Shape/Rounds.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;

/// Products of tf32 by mma.sync: 62 % of the rate of wgmma.
static constexpr double kProductsPerCycle = 635;
/// Of shared memory, which both the loads of fragments and the copies take.
static constexpr double kSharedBytesPerCycle = 128;
/// Of a block whatever its size: barriers, which two workgroups hide from each
/// other.
static constexpr double kCyclesPerBlock = 60;
/// Of the whole chip, and how close to the slowest part the time is.
static constexpr double kMemoryBytesPerCycle = 1290, kNorm = 4;
static constexpr double kCyclesPerLaunch = 3450;

namespace {
struct Candidate {
  int64_t m, n, warpsM, warpsN, resident;
};
} // namespace

/// Warps of 64x64 or less: a thread has 128 sums. Two workgroups of four warps
/// hide each other's ends.
static constexpr Candidate candidates[] = {
    {256, 128, 4, 2, 1}, {128, 256, 2, 4, 1}, {256, 64, 4, 1, 2},
    {64, 256, 1, 4, 2},  {128, 128, 2, 2, 2}, {128, 128, 2, 4, 1},
    {128, 64, 2, 2, 2},  {64, 128, 2, 2, 2},  {64, 64, 2, 2, 2},
    {128, 32, 4, 1, 2},  {32, 128, 1, 4, 2},  {64, 32, 4, 1, 2},
    {32, 64, 1, 4, 2},
};

static double combine(std::initializer_list<double> times) {
  double sum = 0;
  for (double time : times)
    sum += std::pow(time, kNorm);
  return std::pow(sum, 1 / kNorm);
}

/// Tiles that the busiest multiprocessor makes one after the other. Workgroups
/// that it holds together share what the model counts; one alone does not make
/// full use of it (an estimate).
static double countTurns(int64_t tiles, int64_t resident,
                         int64_t multiprocessors) {
  constexpr double turnsOfOneAlone = 1.4;
  int64_t places = multiprocessors * resident, rest = tiles % places;
  double turns = tiles / places * resident;
  if (rest == 0)
    return turns;
  bool isAlone = resident > 1 && rest <= multiprocessors;
  return turns + (isAlone ? turnsOfOneAlone : resident);
}

/// In cycles of a multiprocessor.
static double getTime(ScheduleAttr schedule, const GemmShape &gemm,
                      const ChipInfo &chip) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  int64_t resident = schedule.getResident(), split = schedule.getSplit();
  double lineBytes = tile[2] * gemm.elementBytes;
  double copied = (tile[0] + tile[1]) * lineBytes;
  double read = (tile[0] * warps[1] + tile[1] * warps[0]) * lineBytes;
  double block = combine({tile[0] * tile[1] * tile[2] / kProductsPerCycle,
                          (read + copied) / kSharedBytesPerCycle,
                          copied / kCopyBytesPerCycle}) +
                 kCyclesPerBlock / resident;
  int64_t blocks = llvm::divideCeil(gemm.channels, tile[2]);
  double end = kCyclesPerTile +
               tile[0] * tile[1] * kPartBytes / kStoreBytesPerCycle / resident;
  auto getRounds = [&](int64_t tiles, int64_t parts) {
    return countTurns(tiles * parts, resident, chip.multiprocessors) *
           (llvm::divideCeil(blocks, parts) * block + end);
  };
  int64_t tiles = countTiles(schedule, gemm);
  Rounds rounds = {tiles, 0};
  if (hasTail(schedule))
    rounds = divideIntoRounds(schedule, tiles, gemm.chip);
  double kernel = getRounds(rounds.whole, split);
  kernel += hasEvenTail(schedule)
                ? getEvenTailCycles(schedule, gemm, block, end)
                : getRounds(rounds.rest, schedule.getTail());
  double memory = (gemm.readBytes + gemm.writtenBytes) / kMemoryBytesPerCycle;
  double time = combine({kernel + kCyclesPerLaunch, memory});
  if (split > 1)
    time += getSumCycles(double(gemm.getResults()) * split, chip);
  return time + getTailSumCycles(schedule, gemm, chip);
}

/// As many rows of positions as there are, up to a line of 128 bytes K-major.
static int64_t chooseBlockK(const GemmShape &gemm) {
  int64_t blockK = 128 / gemm.elementBytes;
  while (blockK > 32 / gemm.elementBytes && gemm.channels <= blockK / 2)
    blockK /= 2;
  return blockK;
}

SmallVector<RankedSchedule> conv::rankProducerSchedules(MLIRContext *context,
                                                        const GemmShape &gemm,
                                                        const ChipInfo &chip,
                                                        Algorithm algorithm) {
  SmallVector<RankedSchedule> ranked;
  if (!isa<FloatTF32Type>(gemm.factorType))
    return ranked;
  int64_t blockK = chooseBlockK(gemm);
  auto get = [&](const Candidate &candidate, int64_t stages, int64_t split) {
    return ScheduleAttr::get(
        context, {.algorithm = algorithm,
                  .tile = {candidate.m, candidate.n, blockK},
                  .warps = {candidate.warpsM, candidate.warpsN},
                  .stages = stages,
                  .copy = CopyKind::Tma,
                  .mma = MmaKind::MmaSync,
                  .split = split,
                  .resident = candidate.resident,
                  .merge = gemm.merge,
                  .fold = gemm.fold});
  };
  auto isLegal = [&](ScheduleAttr schedule) {
    return whyIllegalOnHopper(schedule, gemm, chip).empty();
  };
  for (const Candidate &candidate : candidates) {
    constexpr int64_t maxStages = 8, minStages = 3;
    int64_t stages = maxStages;
    while (stages >= minStages && !isLegal(get(candidate, stages, 1)))
      --stages;
    if (stages < minStages)
      continue;
    ScheduleAttr whole = get(candidate, stages, /*split=*/1);
    ranked.push_back({whole, getTime(whole, gemm, chip)});
    for (ScheduleAttr withTail : addTails(whole, gemm))
      ranked.push_back({withTail, getTime(withTail, gemm, chip)});
    int64_t tiles = std::max<int64_t>(countTiles(whole, gemm), 1);
    for (int64_t rounds : {1, 2, 3, 4}) {
      int64_t split = std::min(rounds * chip.multiprocessors / tiles,
                               gemm.getMostParts(blockK));
      if (split <= 1)
        continue;
      ScheduleAttr schedule = get(candidate, stages, split);
      if (isLegal(schedule))
        ranked.push_back({schedule, getTime(schedule, gemm, chip)});
    }
  }
  llvm::stable_sort(ranked, isFaster);
  return ranked;
}
