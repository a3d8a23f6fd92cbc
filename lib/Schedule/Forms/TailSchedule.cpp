//===- TailSchedule.cpp - schedules with a tail ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/TailSchedule.h"

#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Schedule/KernelRules.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Schedule/Shape/EvenParts.h"
#include "conv/Schedule/Shape/Rounds.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;
using llvm::formatv;

int64_t conv::countTiles(ScheduleAttr schedule, const GemmShape &gemm) {
  return getKernelRules(schedule, gemm).countTiles(schedule, gemm);
}

static PartUnits getUnits(ScheduleAttr schedule, const GemmShape &gemm) {
  return getKernelRules(schedule, gemm).getUnits(schedule, gemm);
}

int64_t conv::getMostPartsOfTail(ScheduleAttr schedule, const GemmShape &gemm) {
  auto [blocks, taps] = getUnits(schedule, gemm);
  return std::max(blocks, taps);
}

static EvenParts getEvenParts(ScheduleAttr schedule, const GemmShape &gemm) {
  Rounds rounds =
      divideIntoRounds(schedule, countTiles(schedule, gemm), gemm.chip);
  return {getPersistentWorkgroups(schedule, gemm.chip), rounds.rest,
          getUnits(schedule, gemm).blocks};
}

/// Why whyNoTail refuses even parts, stride phases and parts of all aside.
static std::string whyNoEvenTail(ScheduleAttr schedule, const GemmShape &gemm) {
  if (schedule.getClusterSize() > 1)
    return "even parts (tail) have no kernel with clusters yet";
  if (gemm.wgrad.sumsRows)
    return "even parts (tail) have no sums of rows of dy, the gradient of a "
           "bias";
  int64_t workgroups = getPersistentWorkgroups(schedule, gemm.chip);
  if (schedule.getTeams() > 1 && countTiles(schedule, gemm) < workgroups)
    return formatv("teams take tiles in turn, but even parts (tail) of fewer "
                   "tiles than {0} leave most workgroups one",
                   workgroups);
  std::string why = whyNoEvenParts(getEvenParts(schedule, gemm));
  return why.empty() ? why : "tail=" + kEvenTailName.str() + ": " + why;
}

std::string conv::whyNoTail(ScheduleAttr schedule, const GemmShape &gemm) {
  if (!hasTail(schedule))
    return "";
  if (schedule.getSplit() > 1)
    return formatv("tail ({0}) divides gemm-k of the last tiles and split-k "
                   "({1}) that of all: one of them must be 1",
                   getTailText(schedule), schedule.getSplit());
  if (gemm.phases.size() > 1)
    return formatv("tail is for tiles of one length, and those of {0} stride "
                   "phases fill the last round as they are",
                   gemm.phases.size());
  if (hasEvenTail(schedule))
    return whyNoEvenTail(schedule, gemm);
  int64_t workgroups = getPersistentWorkgroups(schedule, gemm.chip);
  int64_t tiles = countTiles(schedule, gemm);
  Rounds rounds = divideIntoRounds(schedule, tiles, gemm.chip);
  if (rounds.whole == 0)
    return formatv("tail divides tiles that are left after whole rounds of "
                   "{0}, but there are {1}; split-k divides all",
                   workgroups, tiles);
  if (rounds.rest == 0)
    return formatv("tail divides tiles that are left after whole rounds of "
                   "{0}, but {1} leave none",
                   workgroups, tiles);
  return "";
}

static std::optional<int64_t> chooseTail(ScheduleAttr schedule,
                                         const GemmShape &gemm) {
  if (gemm.phases.size() != 1)
    return std::nullopt;
  Rounds rounds =
      divideIntoRounds(schedule, countTiles(schedule, gemm), gemm.chip);
  if (rounds.whole == 0 || rounds.rest == 0)
    return std::nullopt;
  auto [blocks, taps] = getUnits(schedule, gemm);
  int64_t most =
      std::min(getPersistentWorkgroups(schedule, gemm.chip) / rounds.rest,
               std::max(blocks, taps));
  int64_t least = blocks * taps;
  std::optional<int64_t> best;
  for (int64_t parts = 2; parts <= most; ++parts) {
    int64_t longest = parts > blocks ? llvm::divideCeil(taps, parts) * blocks
                                     : llvm::divideCeil(blocks, parts) * taps;
    if (longest >= least)
      continue;
    least = longest;
    best = parts;
  }
  return best;
}

SmallVector<ScheduleAttr, 2> conv::addTails(ScheduleAttr schedule,
                                            const GemmShape &gemm) {
  SmallVector<ScheduleAttr, 2> tails;
  if (std::optional<int64_t> parts = chooseTail(schedule, gemm))
    tails.push_back(schedule.withTail(*parts));
  if (ScheduleAttr even = schedule.withTail(kEvenTail);
      whyNoTail(even, gemm).empty())
    tails.push_back(even);
  return tails;
}

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

double conv::getEvenTailCycles(ScheduleAttr schedule, const GemmShape &gemm,
                               double block, double end) {
  return schedule.getResident() *
         getEvenParts(schedule, gemm).getCycles(block, end);
}

double conv::getTileCycles(ScheduleAttr schedule, const GemmShape &gemm,
                           const ChipInfo &chip, int64_t blocks, double block,
                           double end, double partEnd) {
  int64_t split = schedule.getSplit(), tail = schedule.getTail();
  double cycles = llvm::divideCeil(blocks, split) * block + end;
  int64_t tiles = countTiles(schedule, gemm) * split;
  if (!hasTail(schedule))
    return llvm::divideCeil(tiles, chip.multiprocessors) * cycles;
  Rounds rounds = divideIntoRounds(schedule, tiles, gemm.chip);
  double whole = rounds.whole / chip.multiprocessors * cycles;
  if (hasEvenTail(schedule))
    return whole + getEvenTailCycles(schedule, gemm, block, partEnd);
  return whole + llvm::divideCeil(rounds.rest * tail, chip.multiprocessors) *
                     (llvm::divideCeil(blocks, tail) * block + partEnd);
}

/// They read the same blocks for each tile, one filler after the other, while
/// the rest of the operands is read once.
double conv::getFilledBytes(ScheduleAttr schedule, const GemmShape &gemm) {
  if (!hasEvenTail(schedule))
    return 0;
  EvenParts parts = getEvenParts(schedule, gemm);
  if (gemm.memory.readBytes <= parts.tiles * kBytesBetweenFillers)
    return 0;
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t taps = gemm.hasImages() ? 1 : gemm.phases.front().taps;
  return double(parts.getAllFilled()) * (tile[0] + tile[1] * taps) * tile[2] *
         gemm.elementBytes;
}

double conv::getTailSumCycles(ScheduleAttr schedule, const GemmShape &gemm,
                              const ChipInfo &chip) {
  if (!hasTail(schedule))
    return 0;
  Rounds rounds =
      divideIntoRounds(schedule, countTiles(schedule, gemm), gemm.chip);
  int64_t parts = hasEvenTail(schedule)
                      ? getEvenParts(schedule, gemm).getSlots()
                      : rounds.rest * schedule.getTail();
  return getSumCycles(
      double(parts) * schedule.getTile()[0] * schedule.getTile()[1], chip);
}
