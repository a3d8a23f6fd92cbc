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
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/Model/ProducerModel.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

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

/// As many rows of positions as there are, up to a line of 128 bytes K-major.
static int64_t chooseBlockK(const GemmShape &gemm) {
  int64_t blockK = 128 / gemm.elementBytes;
  while (blockK > 32 / gemm.elementBytes && gemm.channels <= blockK / 2)
    blockK /= 2;
  return blockK;
}

void conv::addProducerTiles(const CandidateRequest &request,
                            SmallVectorImpl<RankedSchedule> &ranked) {
  const GemmShape &gemm = request.gemm;
  const ChipInfo &chip = request.chip;
  if (!isa<FloatTF32Type>(gemm.factorType))
    return;
  int64_t blockK = chooseBlockK(gemm);
  auto get = [&](const Candidate &candidate, int64_t stages, int64_t split) {
    return ScheduleAttr::get(request.context,
                             {.algorithm = request.algorithm,
                              .tile = {candidate.m, candidate.n, blockK},
                              .warps = {candidate.warpsM, candidate.warpsN},
                              .stages = stages,
                              .copy = CopyKind::Tma,
                              .mma = MmaKind::MmaSync,
                              .split = split,
                              .resident = candidate.resident,
                              .merge = gemm.variant.merge,
                              .fold = gemm.variant.fold});
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
    ranked.push_back({whole, getProducerCycles(whole, gemm, chip)});
    for (ScheduleAttr withTail : addTails(whole, gemm))
      ranked.push_back({withTail, getProducerCycles(withTail, gemm, chip)});
    int64_t tiles = std::max<int64_t>(countTiles(whole, gemm), 1);
    for (int64_t rounds : {1, 2, 3, 4}) {
      int64_t split = std::min(rounds * chip.multiprocessors / tiles,
                               gemm.getMostParts(blockK));
      if (split <= 1)
        continue;
      ScheduleAttr schedule = get(candidate, stages, split);
      if (isLegal(schedule))
        ranked.push_back({schedule, getProducerCycles(schedule, gemm, chip)});
    }
  }
}
