//===- MmaSyncRanking.cpp - candidates with mma.sync ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the implicit GEMMs of an operation. Output: legal schedules with
// mma.sync, or fma where factors are f32, and cp.async.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Ranking/MmaSyncRanking.h"
#include "conv/Schedule/Model/MmaSyncModel.h"
#include "conv/Schedule/Shape/MmaShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
struct Candidate {
  int64_t tile[2];
  int64_t warps[2];
};
} // namespace

static constexpr Candidate candidates[] = {
    {{256, 128}, {4, 2}}, {{128, 256}, {2, 4}}, {{128, 128}, {2, 2}},
    {{256, 64}, {4, 1}},  {{128, 64}, {2, 2}},  {{64, 128}, {2, 2}},
    {{64, 64}, {2, 2}},   {{128, 32}, {4, 1}},  {{64, 32}, {2, 1}},
    {{32, 64}, {1, 2}},   {{128, 16}, {4, 1}},  {{32, 32}, {2, 1}},
};

/// Of kernels whose threads have at most 64 sums: those of f64 are two
/// registers each, fma holds operands for each row and column, and ptxas
/// multiplies 8-bit floats by way of f16 where the chip has them in wgmma only.
static constexpr Candidate candidatesOfFewSums[] = {
    {{128, 128}, {2, 4}}, {{128, 64}, {2, 2}}, {{64, 128}, {2, 2}},
    {{64, 64}, {2, 2}},   {{128, 32}, {4, 1}}, {{64, 32}, {2, 1}},
    {{32, 64}, {1, 2}},   {{128, 16}, {4, 1}}, {{32, 32}, {2, 1}},
};

static ArrayRef<Candidate> getCandidates(Type factor) {
  if (factor.isF32() || factor.isF64() || isFloat8(factor))
    return candidatesOfFewSums;
  return candidates;
}

/// Rows of 64 bytes; half or double where the channels waste less, or hardly
/// more.
static int64_t chooseBlockK(const GemmShape &gemm) {
  int64_t base = 64 / gemm.elementBytes;
  if (gemm.channels <= base / 2)
    return base / 2;
  int64_t padded = llvm::alignTo(gemm.channels, base);
  if (int64_t(llvm::alignTo(gemm.channels, 2 * base)) <= padded + padded / 64)
    return 2 * base;
  return base;
}

/// Parts of gemm-k that are worth a try: one, and as many as let the tiles fill
/// the multiprocessors once, or all places on them once or twice.
static SmallVector<int64_t, 4>
getSplits(ScheduleAttr schedule, const GemmShape &gemm, const ChipInfo &chip) {
  int64_t places =
      chip.multiprocessors * getMmaSyncOccupancy(schedule, gemm, chip);
  int64_t tiles = std::max<int64_t>(countMmaSyncTiles(schedule, gemm), 1);
  int64_t blocks = gemm.getMostParts(schedule.getTile()[2]);
  SmallVector<int64_t, 4> splits = {1};
  for (int64_t wanted : {chip.multiprocessors, places, 2 * places})
    if (int64_t parts = std::min(wanted / tiles, blocks); parts > 1)
      splits.push_back(parts);
  return splits;
}

void conv::addMmaSyncTiles(const CandidateRequest &request,
                           SmallVectorImpl<RankedSchedule> &ranked) {
  const GemmShape &gemm = request.gemm;
  const ChipInfo &chip = request.chip;
  int64_t blockK = chooseBlockK(gemm);
  MmaKind mma = gemm.factorType.isF32() ? MmaKind::Fma : MmaKind::MmaSync;
  auto get = [&](const Candidate &candidate, int64_t stages, int64_t split) {
    return ScheduleAttr::get(
        request.context,
        {.algorithm = request.algorithm,
         .tile = {candidate.tile[0], candidate.tile[1], blockK},
         .warps = {candidate.warps[0], candidate.warps[1]},
         .stages = stages,
         .mma = mma,
         .split = split,
         .merge = gemm.variant.merge,
         .fold = gemm.variant.fold});
  };
  for (const Candidate &candidate : getCandidates(gemm.factorType))
    for (int64_t stages : {4, 3, 2}) {
      auto whole = get(candidate, stages, /*split=*/1);
      if (!whyIllegal(whole, gemm, chip).empty())
        continue;
      for (int64_t split : getSplits(whole, gemm, chip)) {
        auto schedule = get(candidate, stages, split);
        if (split == 1 || whyIllegal(schedule, gemm, chip).empty())
          ranked.push_back({schedule, getMmaSyncTime(schedule, gemm, chip)});
      }
    }
}
