//===- HopperRanking.cpp - choice among schedules with TMA and wgmma ------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the implicit GEMMs of an operation. Output: the legal candidates by a
// model of their time, whose constants were fitted to kernels of an H200
// (docs/Performance.md). The unit is a cycle of a multiprocessor.
//
// A block of gemm-k takes as long as the slowest of its products, what they and
// the copies move through shared memory, its copies from the L2 cache, and the
// time from a slot's release to its next block. Bytes that are copied while
// products are made take power from them: the clock is lower. A tile's end is
// hidden in part where teams take turns. All together takes about as long as
// the slower of this and the traffic of memory.
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "HopperSchedule.h"
#include "ScheduleRanking.h"
#include "Warpgroups.h"
#include "WgradWindows.h"
#include "Windows.h"
#include "conv/Transforms/SharedTile.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

/// Of shared memory. Reads of products and writes of copies take less of it
/// than all their bytes.
static constexpr double kSharedBytesPerCycle = 128, kReads = 0.935,
                        kWrites = 0.515;
/// Of f32, where sums of blocks are added outside of the tensor cores, and the
/// part of these cycles in which no other warpgroup multiplies (an estimate).
static constexpr double kAdditionsPerCycle = 128, kExposedAdditions = 0.3;
/// From the release of a slot to its next block, and slots that the products of
/// one block hold.
static constexpr double kSlotCycles = 1820, kHeldSlots = 0.81;
/// Of a block whatever its size, and of one where teams take turns.
static constexpr double kCyclesPerBlock = 8, kTeamBlockFactor = 1.015;
/// The part of a tile's end during which the other team does not multiply.
static constexpr double kTeamFactor = 0.675;
/// Of the whole chip, at the clock of busy multiprocessors.
static constexpr double kMemoryReadBytesPerCycle = 1290,
                        kMemoryWrittenBytesPerCycle = 645;
/// Rows of panels, however short: copied, the more where one is partly outside
/// of the tensor, and stored.
static constexpr double kCyclesPerPanelRow = 1.65, kCyclesPerClippedRow = 5,
                        kCyclesPerStoredRow = 1.35;
/// Of a tile whose taps share a window, for which it waits.
static constexpr double kCyclesPerWindowTile = 680;
/// How close to the slower of multiplication and memory the time is.
static constexpr double kNorm = 5.2;
/// Workgroups of a cluster wait for each other in every block.
static constexpr double kClusterFactor = 1.03;
/// Of a launch.
static constexpr double kCyclesPerLaunch = 3450;

/// Rows that a block of gemm-k copies, and rows of the result in tiles.
static WindowTraffic getTraffic(ScheduleAttr schedule, const GemmShape &gemm,
                                GemmShape::Phase phase) {
  if (!schedule.getWindow())
    return {phase.m, double(schedule.getTile()[0]) / getClusterN(schedule) +
                         double(schedule.getTile()[1]) / getClusterM(schedule)};
  return getWindowTraffic(schedule, gemm);
}

namespace {
/// What TMA copies of one operand for a block of gemm-k.
struct CopiedTile {
  PanelTile tile;
  int64_t columns; ///< Of the operand, along the tile's rows.

  /// TMA writes one row of a panel at a time, however short.
  double getCycles() const {
    double rows = double(tile.getRows()) * tile.getNumPanels();
    return rows * kCyclesPerPanelRow;
  }
  /// One panel of the last tile of a row sticks out of the operand.
  double getClippedCycles() const {
    if (columns % tile.getPanelColumns() == 0)
      return 0;
    return kCyclesPerClippedRow * tile.getRows() /
           llvm::divideCeil(columns, tile.getColumns());
  }
};
} // namespace

/// Cycles of the copies of a block.
static double getCopyCycles(ScheduleAttr schedule, const GemmShape &gemm,
                            double copiedRows) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double cycles = copiedRows * tile[2] * gemm.elementBytes / kCopyBytesPerCycle;
  if (schedule.getWindow())
    return cycles;
  auto getCopied = [&](int64_t mn, int64_t all, bool isMnMajor) {
    return isMnMajor
               ? CopiedTile{PanelTile(tile[2], mn, gemm.elementBytes), all}
               : CopiedTile{PanelTile(mn, tile[2], gemm.elementBytes),
                            gemm.channels};
  };
  CopiedTile a = getCopied(tile[0], gemm.phases.front().m, gemm.isMnMajorA);
  CopiedTile b = getCopied(tile[1], gemm.n, gemm.isMnMajorB);
  return std::max(cycles, a.getCycles() + b.getCycles()) +
         a.getClippedCycles() / getClusterN(schedule) +
         b.getClippedCycles() / getClusterM(schedule);
}

static double getBlockCycles(ScheduleAttr schedule, const GemmShape &gemm,
                             double copiedRows) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double rowBytes = tile[2] * gemm.elementBytes;
  double instructions = double(tile[0]) / 64 * rowBytes / 32;
  double products = instructions * tile[1] / 2;
  if (getRegistersPerSum(gemm) > 1)
    products += kExposedAdditions * tile[0] * tile[1] / kAdditionsPerCycle;
  double readBytes = instructions * (64 + tile[1]) * 32;
  double shared = (kReads * readBytes + kWrites * copiedRows * rowBytes) /
                  kSharedBytesPerCycle;
  double copies = getCopyCycles(schedule, gemm, copiedRows);
  double cycles = std::max({products, shared, copies});
  if (!hasResidentFilter(schedule, gemm)) {
    // Most blocks of a window copy a filter tile only.
    double latency = schedule.getWindow() ? kSlotCycles / 2 : kSlotCycles;
    cycles = std::max(cycles, latency / (schedule.getStages() - kHeldSlots));
  }
  if (schedule.getTeams() > 1)
    cycles *= kTeamBlockFactor;
  return cycles + kPowerOfCopies * copies + kCyclesPerBlock;
}

/// Between the products of one tile and those of the next.
static double getEndCycles(ScheduleAttr schedule, const GemmShape &gemm) {
  double resultBytes = schedule.getSplit() > 1 ? kPartBytes : gemm.resultBytes;
  double cycles = schedule.getTile()[0] * schedule.getTile()[1] * resultBytes /
                      kStoreBytesPerCycle +
                  kCyclesPerTile;
  if (schedule.getSplit() == 1 && !gemm.reducesRows)
    cycles +=
        kCyclesPerStoredRow * schedule.getTile()[0] *
        PanelTile(1, schedule.getTile()[1], gemm.resultBytes).getNumPanels();
  return schedule.getWindow() ? cycles + kCyclesPerWindowTile : cycles;
}

/// Cycles of the workgroup with the most work.
static double getKernelCycles(ScheduleAttr schedule, const GemmShape &gemm,
                              const ChipInfo &chip) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t split = schedule.getSplit();
  int64_t blocks = llvm::divideCeil(gemm.channels, tile[2]);
  if (!gemm.dividesImages())
    blocks = llvm::divideCeil(blocks, split);
  double end = getEndCycles(schedule, gemm);
  double hidden = schedule.getTeams() > 1 ? kTeamFactor : 1;
  double all = 0, longest = 0;
  int64_t count = 0;
  for (GemmShape::Phase phase : gemm.phases) {
    WindowTraffic traffic = getTraffic(schedule, gemm, phase);
    int64_t taps =
        gemm.dividesImages() ? llvm::divideCeil(phase.taps, split) : phase.taps;
    double cycles = std::max<double>(taps * blocks, 1) *
                        getBlockCycles(schedule, gemm, traffic.copiedRows) +
                    hidden * end;
    int64_t tiles = llvm::alignTo(llvm::divideCeil(traffic.rows, tile[0]),
                                  getClusterM(schedule)) *
                    llvm::alignTo(llvm::divideCeil(gemm.n, tile[1]),
                                  getClusterN(schedule)) *
                    gemm.resultTaps * gemm.groups * split;
    all += tiles * cycles;
    count += tiles;
    longest = std::max(longest, cycles);
  }
  int64_t workgroups =
      getResidentWorkgroups(chip.multiprocessors, schedule.getClusterSize());
  double factor = schedule.getClusterSize() > 1 ? kClusterFactor : 1;
  // Equal tiles take whole rounds, and nothing hides the last one's end; short
  // ones fill what long ones leave.
  if (gemm.phases.size() == 1)
    return factor *
           (llvm::divideCeil(count, workgroups) * longest + (1 - hidden) * end);
  return factor * std::max(all / workgroups, longest);
}

static double getModelledCycles(ScheduleAttr schedule, const GemmShape &gemm,
                                const ChipInfo &chip) {
  double kernel = getKernelCycles(schedule, gemm, chip) + kCyclesPerLaunch;
  double memory = gemm.readBytes / kMemoryReadBytesPerCycle +
                  gemm.writtenBytes / kMemoryWrittenBytesPerCycle;
  double time =
      std::pow(std::pow(kernel, kNorm) + std::pow(memory, kNorm), 1 / kNorm);
  if (schedule.getSplit() > 1)
    time += kCyclesPerSum + gemm.getResults() * schedule.getSplit() *
                                kPartBytes /
                                (kStoreBytesPerCycle * chip.multiprocessors);
  return time;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {
struct Candidate {
  int64_t m, n, warps, teams;
};
} // namespace

/// Tiles of one, two and three warpgroups, and of two teams of one; a thread
/// holds at most 192 accumulators.
static constexpr Candidate candidates[] = {
    {256, 128, 8, 1}, {128, 256, 8, 1}, {256, 192, 8, 1}, {128, 192, 8, 1},
    {128, 128, 8, 1}, {256, 64, 8, 1},  {128, 64, 8, 1},  {64, 256, 4, 1},
    {64, 128, 4, 1},  {64, 64, 4, 1},   {128, 32, 8, 1},  {64, 32, 4, 1},
    {128, 16, 8, 1},  {256, 32, 8, 1},  {256, 16, 8, 1},  {128, 32, 4, 2},
    {128, 16, 4, 2},  {128, 192, 4, 2}, {128, 128, 4, 2}, {128, 64, 4, 2},
    {64, 128, 4, 2},
};

/// Those above, and tiles as wide as an equal part of the columns: 96 of 96,
/// 160 of 320.
static SmallVector<Candidate> getCandidates(const GemmShape &gemm) {
  constexpr int64_t unit = 16, widest = 256, widestOfTeam = 192;
  SmallVector<Candidate> result(std::begin(candidates), std::end(candidates));
  llvm::SmallSetVector<int64_t, 4> widths;
  for (int64_t parts : {1, 2, 3})
    if (int64_t width = llvm::alignTo(llvm::divideCeil(gemm.n, parts), unit);
        width >= 2 * unit && width <= widest)
      widths.insert(width);
  for (const Candidate &candidate : candidates)
    widths.remove(candidate.n);
  // Two registers for each sum leave room for half as many.
  if (getRegistersPerSum(gemm) > 1) {
    widths.insert(widestOfTeam / 2);
    result.push_back({64, widestOfTeam, 4, 2});
  }
  for (int64_t width : widths) {
    result.push_back({128, width, 8, 1});
    if (width <= widestOfTeam)
      result.append({{256, width, 8, 1}, {128, width, 4, 2}});
  }
  return result;
}

/// Whole lines of 128 bytes, or as many bytes as few channels fill; and less
/// where that pads the channels less. A block ends where a group ends.
static SmallVector<int64_t> getBlockKs(const GemmShape &gemm) {
  SmallVector<int64_t> blocks;
  int64_t bytes = PanelTile::kMaxSpanBytes;
  int64_t all = gemm.channels * gemm.elementBytes;
  while (bytes > PanelTile::kMinSpanBytes && all <= bytes / 2)
    bytes /= 2;
  int64_t padded = std::numeric_limits<int64_t>::max();
  bool endsWithGroup =
      gemm.groups > 1 && !gemm.reducesRows && !gemm.isChannelsFirst;
  for (; bytes >= PanelTile::kMinSpanBytes; bytes /= 2)
    if (int64_t size = llvm::alignTo(all, bytes);
        size < padded && (!endsWithGroup || size == all)) {
      padded = size;
      blocks.push_back(bytes / gemm.elementBytes);
    }
  return blocks;
}

/// Parts of gemm-k that could fill the chip once, or twice.
static SmallVector<int64_t> getSplits(const GemmShape &gemm,
                                      const Candidate &candidate,
                                      int64_t blockK, const ChipInfo &chip) {
  SmallVector<int64_t> splits = {1};
  auto isLikeFirst = [&](GemmShape::Phase phase) {
    return phase.m == gemm.phases.front().m &&
           phase.taps == gemm.phases.front().taps;
  };
  if (!llvm::all_of(gemm.phases, isLikeFirst) || candidate.teams > 1)
    return splits;
  int64_t tiles = gemm.phases.size() *
                  llvm::divideCeil(gemm.phases.front().m, candidate.m) *
                  llvm::divideCeil(gemm.n, candidate.n) * gemm.resultTaps *
                  gemm.groups;
  int64_t blocks = gemm.getMostParts(blockK);
  if (tiles == 0)
    return splits; // An empty result.
  for (int64_t rounds : {1, 2, 3}) {
    int64_t split = rounds * chip.multiprocessors / tiles;
    if (split > 1 && split <= blocks)
      splits.push_back(split);
  }
  return splits;
}

/// Large tiles gain by clusters of two: what a multiprocessor does not load
/// costs no power.
static SmallVector<SmallVector<int64_t>>
getClusters(const Candidate &candidate) {
  SmallVector<SmallVector<int64_t>> clusters = {{}};
  if (candidate.teams * candidate.m * candidate.n >= 128 * 192)
    clusters.append({{2, 1}, {1, 2}});
  return clusters;
}

namespace {
/// The legal candidates for one operation.
class Ranking {
public:
  Ranking(MLIRContext *context, Algorithm algorithm, const GemmShape &gemm,
          const ChipInfo &chip)
      : context(context), algorithm(algorithm), gemm(gemm), chip(chip) {}

  void addTiles(const Candidate &candidate);
  void addWindows(const Candidate &candidate);

  SmallVector<RankedSchedule> ranked;

private:
  ScheduleAttr get(const Candidate &candidate, int64_t blockK, int64_t stages,
                   int64_t split, ArrayRef<int64_t> cluster, bool window,
                   int64_t staging);
  bool addIfLegal(ScheduleAttr schedule);
  int64_t findDeepestRing(llvm::function_ref<ScheduleAttr(int64_t stages)> get);
  void addDeepestRings(
      const Candidate &candidate,
      llvm::function_ref<ScheduleAttr(int64_t stages, int64_t staging)> get);

  MLIRContext *context;
  Algorithm algorithm;
  const GemmShape &gemm;
  const ChipInfo &chip;
};
} // namespace

/// Rows of one instruction: what is staged of a warpgroup's part at a time.
static constexpr int64_t kRowsOfPart = 64;

static bool hasPartsOfRows(const Candidate &candidate) {
  return candidate.m * kWarpsPerWarpgroup / candidate.warps > kRowsOfPart;
}

/// Whether half of the columns are whole panels.
static bool hasHalves(const Candidate &candidate) {
  constexpr int64_t unit = 128;
  return candidate.n % unit == 0;
}

ScheduleAttr Ranking::get(const Candidate &candidate, int64_t blockK,
                          int64_t stages, int64_t split,
                          ArrayRef<int64_t> cluster, bool window,
                          int64_t staging) {
  return ScheduleAttr::get(
      context, algorithm, {candidate.m, candidate.n, blockK},
      {candidate.warps, 1}, stages, CopyKind::Tma, MmaKind::Wgmma, split,
      cluster, /*resident=*/1, candidate.teams, window, staging, gemm.merge);
}

bool Ranking::addIfLegal(ScheduleAttr schedule) {
  if (!whyIllegalOnHopper(schedule, gemm, chip).empty())
    return false;
  ranked.push_back({schedule, getModelledCycles(schedule, gemm, chip)});
  return true;
}

/// The most stages that are legal, 0 where there are none. Two leave no time
/// for a load.
int64_t
Ranking::findDeepestRing(llvm::function_ref<ScheduleAttr(int64_t stages)> get) {
  constexpr int64_t maxStages = 8, minStages = 3;
  for (int64_t stages = maxStages; stages >= minStages; --stages)
    if (whyIllegalOnHopper(get(stages), gemm, chip).empty())
      return stages;
  return 0;
}

/// Adds a candidate with the most stages: fewer are never better. To stage rows
/// of one instruction only is worth it where that makes a stage more (by 2 to 7
/// %, as measured). With half of the columns a ring that is deeper still may be
/// better or not.
void Ranking::addDeepestRings(
    const Candidate &candidate,
    llvm::function_ref<ScheduleAttr(int64_t stages, int64_t staging)> get) {
  auto findWith = [&](int64_t staging) {
    return findDeepestRing(
        [&](int64_t stages) { return get(stages, staging); });
  };
  int64_t staging = 0, stages = findWith(0);
  if (hasPartsOfRows(candidate))
    if (int64_t deeper = findWith(kRowsOfPart); deeper > stages) {
      staging = kRowsOfPart;
      stages = deeper;
    }
  if (stages > 0)
    addIfLegal(get(stages, staging));
  if (hasHalves(candidate))
    if (int64_t deeper = findWith(kRowsOfPart / 2); deeper > stages)
      addIfLegal(get(deeper, kRowsOfPart / 2));
}

void Ranking::addTiles(const Candidate &candidate) {
  for (int64_t blockK : getBlockKs(gemm))
    for (int64_t split : getSplits(gemm, candidate, blockK, chip))
      for (ArrayRef<int64_t> cluster : getClusters(candidate))
        addDeepestRings(candidate, [&](int64_t stages, int64_t staging) {
          return get(candidate, blockK, stages, split, cluster,
                     /*window=*/false, staging);
        });
}

/// Those whose taps share a window, and those whose filter is resident, too.
void Ranking::addWindows(const Candidate &candidate) {
  // Windows of wgrad have other tiles.
  if (!gemm.windowView || gemm.resultTaps > 1)
    return;
  SmallVector<int64_t> blockKs = getBlockKs(gemm);
  if (blockKs.empty())
    return;
  int64_t line = blockKs.front();
  int64_t all =
      gemm.windowView->numTaps() * llvm::divideCeil(gemm.channels, line);
  for (ArrayRef<int64_t> cluster : getClusters(candidate)) {
    if (cluster.size() > 1 && cluster.back() > 1)
      continue; // Windows are not shared.
    auto getWindow = [&](int64_t stages, int64_t staging) {
      return get(candidate, line, stages, /*split=*/1, cluster,
                 /*window=*/true, staging);
    };
    for (int64_t staging : {int64_t(0), kRowsOfPart}) {
      ScheduleAttr whole = getWindow(all, staging);
      if (hasResidentFilter(whole, gemm) && cluster.empty() &&
          addIfLegal(whole))
        break;
    }
    addDeepestRings(candidate, getWindow);
  }
}

SmallVector<RankedSchedule> conv::rankHopperSchedules(MLIRContext *context,
                                                      const GemmShape &gemm,
                                                      const ChipInfo &chip,
                                                      Algorithm algorithm) {
  Ranking ranking(context, algorithm, gemm, chip);
  for (const Candidate &candidate : getCandidates(gemm)) {
    ranking.addTiles(candidate);
    ranking.addWindows(candidate);
  }
  if (algorithm == Algorithm::ImplicitGemm)
    addWgradWindows(context, gemm, chip, ranking.ranked);
  llvm::stable_sort(ranking.ranked, isFaster);
  return std::move(ranking.ranked);
}
