//===- MmaSyncModel.cpp - time of kernels with mma.sync -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/MmaSyncModel.h"

#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Model/Rates.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;

int64_t conv::getMmaSyncOccupancy(ScheduleAttr schedule, const GemmShape &gemm,
                                  const ChipInfo &chip) {
  int64_t shared =
      getRingBytes(schedule, gemm.elementBytes) + convmlir::kSystemSharedBytes;
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t threads = schedule.getThreads();
  int64_t sums = tile[0] * tile[1] / threads;
  int64_t registers =
      schedule.getMma() == MmaKind::Fma
          ? int64_t(kRegistersOfFma)
          : std::min<int64_t>(sums + int64_t(kRegistersBesideSums),
                              convmlir::kMostThreadRegisters);
  return std::max<int64_t>(
      1, std::min({chip.sharedPerSM / shared, chip.threadsPerSM / threads,
                   chip.registersPerSM / (registers * threads)}));
}

namespace {
/// What a multiply-add of a tile costs, in the time of one at the rate of the
/// tensor cores: of itself, of what a warp reads for it from shared memory, and
/// of what the tile reads from global memory, times 1/tile-m + 1/tile-n of the
/// warp or the tile; and, in elements of gemm-k, a tile's start, and how much
/// longer few warps take, divided by their number.
struct Costs {
  double product, warpRead, tileRead, start, idle;
};
} // namespace

static Costs getCosts(MmaKind mma) {
  if (mma == MmaKind::Fma)
    return {kFmaProduct, kFmaWarpRead, kFmaTileRead, kFmaStart, kFmaIdle};
  return {kMmaProduct, kMmaWarpRead, kMmaTileRead, kMmaStart, kMmaIdle};
}

/// How much longer tiles take for what a multiprocessor cannot hide when it
/// holds few warps; a single workgroup leaves it idle at every barrier.
static double getIdleFactor(ScheduleAttr schedule, int64_t workgroups) {
  double warps = workgroups * schedule.getThreads() / 32;
  return (1.0 + getCosts(schedule.getMma()).idle / warps) *
         (workgroups == 1 ? kAloneFactor : 1.0);
}

/// Products that make one element of a phase, padding included, in one part of
/// a split gemm-k.
static double getReduction(ScheduleAttr schedule, const GemmShape &gemm,
                           GemmShape::Phase phase) {
  int64_t blockK = schedule.getTile()[2];
  return double(gemm.getLongestPart(phase, schedule.getSplit(), blockK)) *
         blockK;
}

int64_t conv::countMmaSyncTiles(ScheduleAttr schedule, const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double tiles = 0, longest = getReduction(schedule, gemm, gemm.phases.front());
  double start = getCosts(schedule.getMma()).start;
  for (GemmShape::Phase phase : gemm.phases)
    tiles += llvm::divideCeil(phase.m, tile[0]) *
             (getReduction(schedule, gemm, phase) + start) / (longest + start);
  return int64_t(std::ceil(tiles)) * llvm::divideCeil(gemm.n, tile[1]) *
         gemm.wgrad.resultTaps * gemm.groups * schedule.getSplit();
}

/// The start of the kernel. Where gemm-k is split, the parts go to a workspace
/// and come back, and a second kernel starts. In the time of a multiply-add.
static double getTimeBeside(ScheduleAttr schedule, const GemmShape &gemm,
                            const ChipInfo &chip, TimeParts *parts) {
  if (schedule.getSplit() == 1)
    return note(parts, TimePart::Launch, kMultiplyAddsPerLaunch);
  double bytes = 2.0 * schedule.getSplit() * gemm.getResults() * kPartBytes;
  return note(parts, TimePart::Launch, 2 * kMultiplyAddsPerLaunch) +
         note(parts, TimePart::Sums,
              kMultiplyAddsPerByte * bytes / chip.multiprocessors);
}

/// What it takes to copy a chunk of 16 bytes in accesses of so many, relative
/// to one access. cp.async copies four bytes at least; smaller elements pass
/// through registers, where threads wait for them.
static double getCopyFactor(int64_t accessBytes) {
  constexpr int64_t leastAsync = 4;
  double accesses = double(convmlir::kChunkBytes) / accessBytes;
  return accessBytes < leastAsync ? accesses * kWaitOfSmallAccess : accesses;
}

double conv::getMmaSyncTime(ScheduleAttr schedule, const GemmShape &gemm,
                            const ChipInfo &chip, TimeParts *parts) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  double warpM = double(tile[0]) / warps[0], warpN = double(tile[1]) / warps[1];
  Costs costs = getCosts(schedule.getMma());
  double costPerMac =
      note(parts, TimePart::Products, costs.product) +
      note(parts, TimePart::Shared, costs.warpRead * (1 / warpM + 1 / warpN)) +
      note(parts, TimePart::Copies,
           costs.tileRead * (getCopyFactor(gemm.b.accessBytes) / tile[0] +
                             getCopyFactor(gemm.a.accessBytes) / tile[1]));
  double perTile =
      (getReduction(schedule, gemm, gemm.phases.front()) + costs.start) *
      tile[0] * tile[1] * costPerMac;
  int64_t tiles = countMmaSyncTiles(schedule, gemm);
  int64_t mine = llvm::divideCeil(tiles, chip.multiprocessors);
  int64_t occupancy = getMmaSyncOccupancy(schedule, gemm, chip);
  // Workgroups that run together share the tensor cores.
  int64_t rest = mine % occupancy;
  double units = (mine - rest) * getIdleFactor(schedule, occupancy);
  if (rest)
    units += rest * getIdleFactor(schedule, rest);
  double shallow = schedule.getStages() == 2 ? kShallowFactor : 1.0;
  if (parts)
    parts->scale(units * perTile * shallow / costPerMac);
  return units * perTile * shallow + getTimeBeside(schedule, gemm, chip, parts);
}
