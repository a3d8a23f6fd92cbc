//===- SelectSchedule.cpp - F0 to F1 --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution gets the schedule that is ranked first (ScheduleRanking.cpp),
// with the keys of the option in the place of its own.
//
// And the model of kernels with mma.sync: one takes as long as the
// multiprocessor with the most tiles. A tile costs its work, padding included,
// at the rate that its shape reaches: a larger tile reads its operands less
// often, and more resident warps hide more latency. Times are relative, so no
// clock enters.
//
//===----------------------------------------------------------------------===//

#include "ContractionSchedule.h"
#include "MmaShape.h"
#include "ScheduleRanking.h"
#include "ScheduleRules.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Transforms/Schedule.h"
#include "conv/Transforms/SharedTile.h"
#include "conv/Transforms/TilePasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace mlir::conv {
#define GEN_PASS_DEF_CONVSELECTSCHEDULE
#include "conv/Transforms/TilePasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

/// Workgroups of this schedule that a multiprocessor holds: by shared memory,
/// threads and registers (of 64 K, two workgroups of 128 threads at 255).
static int64_t getOccupancy(ScheduleAttr schedule, const GemmShape &gemm,
                            const ChipInfo &chip) {
  int64_t shared =
      getRingBytes(schedule, gemm.elementBytes) + convmlir::kSystemSharedBytes;
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t threads = schedule.getThreads();
  // ptxas gives fma, whose loads it hoists, all that a thread can have.
  int64_t sums = tile[0] * tile[1] / threads;
  int64_t registers =
      schedule.getMma() == MmaKind::Fma
          ? 240
          : std::min<int64_t>(sums + 96, convmlir::kMostThreadRegisters);
  return std::max<int64_t>(
      1, std::min({chip.sharedPerSM / shared, chip.threadsPerSM / threads,
                   chip.registersPerSM / (registers * threads)}));
}

namespace {
/// What a multiply-add of a tile costs, in the time of one at the rate of the
/// tensor cores: of itself, of what a warp reads for it from shared memory, and
/// of what the tile reads from global memory, times 1/tile-m + 1/tile-n of the
/// warp or the tile; and, in elements of gemm-k, a tile's start, and how much
/// longer few warps take, divided by their number. Fitted to measurements
/// (docs/Performance.md), those of fma to 30 schedules of 15 problems.
struct Costs {
  double product, warpRead, tileRead, start, idle;
};
} // namespace

static Costs getCosts(MmaKind mma) {
  if (mma == MmaKind::Fma)
    return {8, 10, 100, 32, 4};
  return {1, 24, 16, 64, 1.2};
}

/// How much longer tiles take for what a multiprocessor cannot hide when it
/// holds few warps; a single workgroup leaves it idle at every barrier.
static double getIdleFactor(ScheduleAttr schedule, int64_t workgroups) {
  double warps = workgroups * schedule.getThreads() / 32;
  return (1.0 + getCosts(schedule.getMma()).idle / warps) *
         (workgroups == 1 ? 1.05 : 1.0);
}

/// Products that make one element of a phase, padding included, in one part of
/// a split gemm-k.
static double getReduction(ScheduleAttr schedule, const GemmShape &gemm,
                           GemmShape::Phase phase) {
  int64_t blockK = schedule.getTile()[2];
  return double(gemm.getLongestPart(phase, schedule.getSplit(), blockK)) *
         blockK;
}

/// Tiles of the first phase that are as much work as all tiles.
static int64_t countTiles(ScheduleAttr schedule, const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double tiles = 0, longest = getReduction(schedule, gemm, gemm.phases.front());
  double start = getCosts(schedule.getMma()).start;
  for (GemmShape::Phase phase : gemm.phases)
    tiles += llvm::divideCeil(phase.m, tile[0]) *
             (getReduction(schedule, gemm, phase) + start) / (longest + start);
  return int64_t(std::ceil(tiles)) * llvm::divideCeil(gemm.n, tile[1]) *
         gemm.resultTaps * gemm.groups * schedule.getSplit();
}

/// The start of the kernel. Where gemm-k is split, the parts go to a workspace
/// and come back, and a second kernel starts. In the time of a multiply-add,
/// estimated from what the kernels reach on one H200: 3 us a start, 4 TB/s, 1.5
/// T multiply-adds a second and multiprocessor at a cost of 2.
static double getTimeBeside(ScheduleAttr schedule, const GemmShape &gemm,
                            const ChipInfo &chip) {
  constexpr double start = 9e6, perByte = 1e2, sumBytes = 4;
  if (schedule.getSplit() == 1)
    return start;
  double bytes = 2.0 * schedule.getSplit() * gemm.getResults() * sumBytes;
  return 2 * start + perByte * bytes / chip.multiprocessors;
}

/// What it takes to copy a chunk of 16 bytes in accesses of so many, relative
/// to one access. cp.async copies four bytes at least; smaller elements pass
/// through registers, where threads wait for them. Fitted to 61 problems of odd
/// channels and filters on an H200.
static double getCopyFactor(int64_t accessBytes) {
  constexpr int64_t leastAsync = 4;
  constexpr double wait = 1.5;
  double accesses = double(convmlir::kChunkBytes) / accessBytes;
  return accessBytes < leastAsync ? accesses * wait : accesses;
}

/// Relative time of the busiest multiprocessor.
static double getModelledTime(ScheduleAttr schedule, const GemmShape &gemm,
                              const ChipInfo &chip) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  double warpM = double(tile[0]) / warps[0], warpN = double(tile[1]) / warps[1];
  Costs costs = getCosts(schedule.getMma());
  double costPerMac =
      costs.product + costs.warpRead * (1 / warpM + 1 / warpN) +
      costs.tileRead * (getCopyFactor(gemm.accessBytesB) / tile[0] +
                        getCopyFactor(gemm.accessBytesA) / tile[1]);
  double perTile =
      (getReduction(schedule, gemm, gemm.phases.front()) + costs.start) *
      tile[0] * tile[1] * costPerMac;
  int64_t tiles = countTiles(schedule, gemm);
  int64_t mine = llvm::divideCeil(tiles, chip.multiprocessors);
  int64_t occupancy = getOccupancy(schedule, gemm, chip);
  // Workgroups that run together share the tensor cores.
  int64_t rest = mine % occupancy;
  double units = (mine - rest) * getIdleFactor(schedule, occupancy);
  if (rest)
    units += rest * getIdleFactor(schedule, rest);
  double shallow = schedule.getStages() == 2 ? 1.15 : 1.0;
  return units * perTile * shallow + getTimeBeside(schedule, gemm, chip);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

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
  int64_t places = chip.multiprocessors * getOccupancy(schedule, gemm, chip);
  int64_t tiles = std::max<int64_t>(countTiles(schedule, gemm), 1);
  int64_t blocks = gemm.getMostParts(schedule.getTile()[2]);
  SmallVector<int64_t, 4> splits = {1};
  for (int64_t wanted : {chip.multiprocessors, places, 2 * places})
    if (int64_t parts = std::min(wanted / tiles, blocks); parts > 1)
      splits.push_back(parts);
  return splits;
}

SmallVector<RankedSchedule> conv::rankMmaSyncSchedules(MLIRContext *context,
                                                       const GemmShape &gemm,
                                                       const ChipInfo &chip,
                                                       Algorithm algorithm) {
  SmallVector<RankedSchedule> ranked;
  int64_t blockK = chooseBlockK(gemm);
  MmaKind mma = gemm.factorType.isF32() ? MmaKind::Fma : MmaKind::MmaSync;
  auto get = [&](const Candidate &candidate, int64_t stages, int64_t split) {
    return ScheduleAttr::get(context, algorithm,
                             {candidate.tile[0], candidate.tile[1], blockK},
                             {candidate.warps[0], candidate.warps[1]}, stages,
                             CopyKind::CpAsync, mma, split)
        .withMerge(gemm.merge)
        .withFold(gemm.fold);
  };
  for (const Candidate &candidate : getCandidates(gemm.factorType))
    for (int64_t stages : {4, 3, 2}) {
      auto whole = get(candidate, stages, /*split=*/1);
      if (!whyIllegal(whole, gemm, chip).empty())
        continue;
      for (int64_t split : getSplits(whole, gemm, chip)) {
        auto schedule = get(candidate, stages, split);
        if (split == 1 || whyIllegal(schedule, gemm, chip).empty())
          ranked.push_back({schedule, getModelledTime(schedule, gemm, chip)});
      }
    }
  llvm::stable_sort(ranked, isFaster);
  return ranked;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvSelectSchedule
    : public conv::impl::ConvSelectScheduleBase<ConvSelectSchedule> {
  using ConvSelectScheduleBase::ConvSelectScheduleBase;

  void runOnOperation() override {
    std::optional<ChipInfo> info = lookupChip(chip);
    if (!info) {
      emitError(getOperation()->getLoc())
          << "unknown target '" << chip << "', expected one of "
          << supportedChips();
      return signalPassFailure();
    }
    WalkResult result = getOperation()->walk(
        [&](Operation *op) { return WalkResult(visit(op, *info)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult visit(Operation *op, const ChipInfo &info) {
    if (auto convolution = dyn_cast<ConvOpInterface>(op))
      return select(convolution, info);
    auto chosen =
        op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
    return chosen
               ? checkSchedule(op, chosen, whyCannotRunLater(op, chosen, info))
               : success();
  }

  /// The best without the forms that the option turns off, if any is; null
  /// where no candidate is legal.
  ScheduleAttr choose(ConvOpInterface op, const ChipInfo &info,
                      Algorithm algorithm) {
    std::string whyNot;
    // Keys without an algorithm are of the widest one.
    SmallVector<RankedSchedule> ranked =
        schedule.empty()
            ? rankAllSchedules(op, info, &whyNot)
            : rankSchedules(op, info, algorithm, &whyNot,
                            getNamedMerge(schedule), getNamedFold(schedule));
    if (!whyNot.empty()) {
      bool hasTma =
          !ranked.empty() && ranked.front().schedule.getCopy() == CopyKind::Tma;
      op->emitRemark() << "runs on mma.sync with "
                       << (hasTma ? "TMA: " : "cp.async: ") << whyNot;
    }
    for (const RankedSchedule &candidate : ranked)
      if (!turnsOff(schedule, candidate.schedule))
        return candidate.schedule;
    if (!ranked.empty())
      return ranked.front().schedule;
    // An algorithm without kernels is refused with the rest of the schedule.
    if (algorithm != Algorithm::ImplicitGemm)
      return choose(op, info, Algorithm::ImplicitGemm);
    return nullptr;
  }

  FailureOr<ScheduleAttr> replace(ConvOpInterface op, ScheduleAttr base,
                                  const Twine &more = "") {
    return parseSchedule((schedule + more).str(), base,
                         [&] { return op->emitError(); });
  }

  /// The same with the longest ring that can run; null where none can, or where
  /// its length is named.
  ScheduleAttr replaceAndShorten(ConvOpInterface op, ScheduleAttr base,
                                 ScheduleRules &rules) {
    constexpr int64_t least = 2;
    if (!StringRef(schedule).contains("stages="))
      for (int64_t stages = base.getStages() - 1; stages >= least; --stages) {
        FailureOr<ScheduleAttr> shorter =
            replace(op, base, " stages=" + Twine(stages));
        if (succeeded(shorter) && rules.whyCannotRun(*shorter).empty())
          return *shorter;
      }
    return nullptr;
  }

  /// The option in the place of what `base` says of the same keys. Where that
  /// cannot run, since the rest of `base` is of other tiles (a ring of windows,
  /// a box of 196 positions, filters as rows), or names another engine but no
  /// tile, the rest is the best that the model knows to run with these keys. So
  /// it is where no engine is named and TMA, which `base` has, cannot copy such
  /// tiles. The last resort is a shorter ring.
  FailureOr<ScheduleAttr> replaceKeys(ConvOpInterface op, ScheduleAttr base,
                                      const ChipInfo &info) {
    FailureOr<ScheduleAttr> replaced = replace(op, base);
    if (failed(replaced))
      return failure();
    ScheduleRules rules(op, info);
    bool isOther = replaced->getMma() != base.getMma() &&
                   !StringRef(schedule).contains("tile=");
    if (!isOther && rules.whyCannotRun(*replaced).empty())
      return replaced;
    ScopedDiagnosticHandler ignore(op->getContext(),
                                   [](Diagnostic &) { return success(); });
    bool isNoTma = rules.lacksCopy(*replaced);
    SmallVector<RankedSchedule> ranked =
        rankSchedules(op, info, replaced->getAlgorithm(), /*whyNot=*/nullptr,
                      getNamedMerge(schedule), getNamedFold(schedule));
    llvm::erase_if(ranked, [&](const RankedSchedule &other) {
      return isNoTma ? other.schedule.getCopy() == CopyKind::Tma
                     : other.schedule.getMma() != replaced->getMma();
    });
    for (const RankedSchedule &other : ranked) {
      FailureOr<ScheduleAttr> choice = replace(op, other.schedule);
      if (failed(choice))
        continue;
      if (rules.whyCannotRun(*choice).empty())
        return choice;
      // What is in the way of the first says most.
      if (std::exchange(isOther, false))
        replaced = choice;
    }
    if (ScheduleAttr shorter = replaceAndShorten(op, *replaced, rules))
      return shorter;
    for (const RankedSchedule &other : ranked)
      if (ScheduleAttr shorter = replaceAndShorten(op, other.schedule, rules))
        return shorter;
    return replaced;
  }

  LogicalResult select(ConvOpInterface op, const ChipInfo &info) {
    if (std::string why = whyUnsupported(op, info); !why.empty())
      return op->emitError() << why;
    auto chosen =
        op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
    if (!chosen || turnsOff(schedule, chosen))
      chosen = choose(op, info,
                      getNamedAlgorithm(schedule, Algorithm::ImplicitGemm));
    if (!chosen)
      return op->emitError() << "no schedule is legal on " << chip;
    if (!schedule.empty()) {
      FailureOr<ScheduleAttr> parsed = replaceKeys(op, chosen, info);
      if (failed(parsed))
        return failure();
      chosen = *parsed;
    }
    if (failed(checkSchedule(op, chosen, whyCannotRun(op, chosen, info))))
      return failure();
    op->setAttr(ScheduleAttr::attributeName(), chosen);
    return success();
  }
};
} // namespace
