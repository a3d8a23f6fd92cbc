//===- HopperRanking.cpp - choice among schedules with TMA and wgmma ------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the implicit GEMMs of an operation. Output: the legal candidates by a
// model of their time (HopperModel.h).
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Ranking/HopperRanking.h"
#include "conv/Dialect/Conv/IR/ScheduleLimits.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/Kn2rowSchedule.h"
#include "conv/Schedule/Forms/PhasePairs.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Forms/Windows.h"
#include "conv/Schedule/Forms/ZeroFill.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/KeptOperands.h"
#include "conv/Schedule/Model/HopperModel.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;

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

/// Those above, tiles as wide as an equal part of the columns (112 of 112, 224
/// of 448), and widths between powers of two: they may fill the last round of
/// tiles where others do not.
static SmallVector<Candidate> getCandidates(const GemmShape &gemm) {
  constexpr int64_t unit = 16, widest = 256, widestOfTeam = 192,
                    mostPadding = 8;
  SmallVector<Candidate> result(std::begin(candidates), std::end(candidates));
  llvm::SmallSetVector<int64_t, 4> widths;
  for (int64_t parts : {1, 2, 3})
    if (int64_t width = llvm::alignTo(llvm::divideCeil(gemm.n, parts), unit);
        width >= 2 * unit && width <= widest)
      widths.insert(width);
  if (gemm.isPlain())
    result.push_back({64, 256, 4, 2});
  for (int64_t width : {96, 160})
    if (int64_t padding = llvm::alignTo(gemm.n, width) - gemm.n;
        gemm.isPlain() && gemm.n > width && padding <= gemm.n / mostPadding)
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

/// Of taps that have sums of their own: whole lines, as many as a thread has
/// room for and less.
static SmallVector<Candidate> getTapCandidates(const GemmShape &gemm) {
  constexpr int64_t unit = 16, widest = 128, narrowest = 48;
  SmallVector<Candidate> result;
  for (int64_t width = gemm.kn2row.line; width <= widest;
       width += gemm.kn2row.line)
    if (width % unit == 0 && width >= std::min(narrowest, gemm.n))
      result.append({{kRowsOfWgmma, width, 4, 1}, {kRowsOfWgmma, width, 4, 2}});
  return result;
}

/// Whole lines of 128 bytes, or as many bytes as few channels fill; and less
/// where that pads the channels less.
static SmallVector<int64_t> getBlockKs(const GemmShape &gemm) {
  SmallVector<int64_t> blocks;
  int64_t bytes = PanelTile::kMaxSpanBytes;
  int64_t all = gemm.channels * gemm.elementBytes;
  while (bytes > PanelTile::kMinSpanBytes && all <= bytes / 2)
    bytes /= 2;
  int64_t padded = std::numeric_limits<int64_t>::max();
  for (; bytes >= PanelTile::kMinSpanBytes; bytes /= 2)
    if (int64_t size = llvm::alignTo(all, bytes); size < padded) {
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
                  llvm::divideCeil(gemm.n, candidate.n) *
                  gemm.wgrad.resultTaps * gemm.groups;
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
  Ranking(const CandidateRequest &request,
          SmallVectorImpl<RankedSchedule> &ranked)
      : context(request.context), algorithm(request.algorithm),
        gemm(request.gemm), chip(request.chip), ranked(ranked) {}

  void addTiles(const Candidate &candidate);
  void addTaps(const Candidate &candidate);
  void addWindows(const Candidate &candidate);
  void addWindows(const Candidate &candidate, int64_t blockK,
                  ArrayRef<int64_t> cluster, bool gather);

private:
  ScheduleAttr get(const Candidate &candidate, int64_t blockK, int64_t stages,
                   int64_t split, ArrayRef<int64_t> cluster, bool window,
                   int64_t staging);
  bool addIfLegal(ScheduleAttr schedule);
  void addWithTail(ScheduleAttr schedule);
  int64_t findDeepestRing(llvm::function_ref<ScheduleAttr(int64_t stages)> get);
  void addWithZeros(int64_t stages,
                    llvm::function_ref<ScheduleAttr(int64_t stages)> get);
  void addDeepestRings(
      const Candidate &candidate,
      llvm::function_ref<ScheduleAttr(int64_t stages, int64_t staging)> get);

  MLIRContext *context;
  Algorithm algorithm;
  const GemmShape &gemm;
  const ChipInfo &chip;
  SmallVectorImpl<RankedSchedule> &ranked;
};
} // namespace

static bool hasPartsOfRows(const Candidate &candidate) {
  return candidate.m * kWarpsPerWarpgroup / candidate.warps > kRowsOfWgmma;
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
  return ScheduleAttr::get(context, {.algorithm = algorithm,
                                     .tile = {candidate.m, candidate.n, blockK},
                                     .warps = {candidate.warps, 1},
                                     .stages = stages,
                                     .copy = CopyKind::Tma,
                                     .mma = MmaKind::Wgmma,
                                     .split = split,
                                     .cluster = ScheduleNumbers(cluster),
                                     .teams = candidate.teams,
                                     .window = window,
                                     .staging = staging,
                                     .merge = gemm.variant.merge,
                                     .fold = gemm.variant.fold,
                                     .kMajor = gemm.wgrad.isKMajor,
                                     .kn2row = gemm.kn2row.tapSums > 1});
}

/// Whether an epilogue that reads a tensor of the result's shape leaves too few
/// registers beside the sums: ptxas spills up to a kilobyte a thread there. For
/// a vector it spills some words beside 192 sums, which long tiles do not feel.
static bool spills(ScheduleAttr schedule, const GemmShape &gemm) {
  constexpr int64_t mostSums = 128, mostBesideVector = 176, fewProducts = 512;
  int64_t sums = schedule.getTile()[0] * schedule.getTile()[1] *
                 getRegistersPerSum(gemm) / schedule.getThreads();
  bool isShort = gemm.phases.front().taps * gemm.channels <= fewProducts;
  return (gemm.epilogue.readResults > 0 && sums > mostSums) ||
         (gemm.epilogue.readsVectors && isShort && sums > mostBesideVector);
}

/// Whether neighbours of a result with channels first end within sectors.
static bool writesPartsOfSectors(const GemmShape &gemm) {
  constexpr int64_t sectorBytes = 32;
  return gemm.stored.positions * gemm.epilogue.resultBytes % sectorBytes != 0;
}

bool Ranking::addIfLegal(ScheduleAttr schedule) {
  if (spills(schedule, gemm) ||
      !whyIllegalOnHopper(schedule, gemm, chip).empty())
    return false;
  ranked.push_back({schedule, getModelledCycles(schedule, gemm, chip)});
  addWithTail(schedule);
  // Windows that are gathered take more memory: their rings are others.
  if (!schedule.getGather() && !schedule.getWindow() &&
      (gemm.a.isTransposed || gemm.b.isTransposed))
    addIfLegal(schedule.withGather(true));
  return true;
}

/// The same with the last round in parts, where that has few tiles.
void Ranking::addWithTail(ScheduleAttr schedule) {
  if (schedule.getSplit() > 1)
    return;
  for (ScheduleAttr withTail : addTails(schedule, gemm))
    if (whyIllegalOnHopper(withTail, gemm, chip).empty())
      ranked.push_back({withTail, getModelledCycles(withTail, gemm, chip)});
}

/// Two leave no time for a load.
static constexpr int64_t kFewestStages = 3;

/// Whether a ring is to leave room for boxes of images. Those that do not are
/// candidates as deep as others.
static bool needsBoxes(ScheduleAttr schedule) {
  return schedule.getGather() && !schedule.getWindow();
}

/// The most stages that are legal, 0 where there are none.
int64_t
Ranking::findDeepestRing(llvm::function_ref<ScheduleAttr(int64_t stages)> get) {
  constexpr int64_t maxStages = 8;
  for (int64_t stages = maxStages; stages >= kFewestStages; --stages)
    if (ScheduleAttr schedule = get(stages);
        schedule && whyIllegalOnHopper(schedule, gemm, chip).empty() &&
        (!needsBoxes(schedule) || getRawRowSlots(schedule, gemm)))
      return stages;
  return 0;
}

/// Tiles of 64x256 and 128x256 with so many stages or fewer took up to 1.1
/// times as long as with one more, for which halves of rows are staged; 128x128
/// in teams with six took 0.95 times as long as with seven.
static constexpr int64_t kShallowRing = 4;

/// Adds a candidate with the most stages: fewer are never better. To stage rows
/// of one instruction only is worth it where that makes a stage more (by 2 to 7
/// %, as measured), unless a residual is loaded to where all rows are staged,
/// or more rows make fewer parts of sectors: then the model says. With half of
/// the columns a ring that is deeper still may be better or not.
void Ranking::addDeepestRings(
    const Candidate &candidate,
    llvm::function_ref<ScheduleAttr(int64_t stages, int64_t staging)> get) {
  auto findWith = [&](int64_t staging) {
    return findDeepestRing(
        [&](int64_t stages) { return get(stages, staging); });
  };
  int64_t staging = 0, stages = findWith(0);
  if (hasPartsOfRows(candidate))
    if (int64_t more = findWith(kRowsOfWgmma); more > stages) {
      if (stages > 0 &&
          (gemm.epilogue.readResults > 0 || writesPartsOfSectors(gemm) ||
           getPackedNeighbours(get(stages, staging), gemm) > 0))
        addIfLegal(get(stages, staging));
      staging = kRowsOfWgmma;
      stages = more;
    }
  int64_t deeper = hasHalves(candidate) ? findWith(kRowsOfWgmma / 2) : 0;
  auto addHalves = [&] { addIfLegal(get(deeper, kRowsOfWgmma / 2)); };
  // Of equals the first is chosen.
  bool isShallow = stages <= kShallowRing;
  if (deeper > stages && isShallow)
    addHalves();
  if (stages > 0)
    addIfLegal(get(stages, staging));
  addWithZeros(stages, [&](int64_t fewer) { return get(fewer, staging); });
  // And one that leaves room for a second staged tile. Others are added above.
  if (int64_t fewer =
          gemm.stored.pairedLine > 0 ? findDeepestRing([&](int64_t number) {
            ScheduleAttr schedule = get(number, /*staging=*/0);
            return pairsPhases(schedule, gemm) ? schedule : ScheduleAttr();
          })
                                     : 0;
      fewer > 0 && (fewer != stages || staging > 0))
    addIfLegal(get(fewer, /*staging=*/0));
  if (deeper > stages && !isShallow)
    addHalves();
}

/// Where there are zeros to store beside the result, a ring that leaves room
/// for some may be worth a stage.
void Ranking::addWithZeros(
    int64_t stages, llvm::function_ref<ScheduleAttr(int64_t stages)> get) {
  if (!gemm.views.cells || stages == 0 || storesZeros(get(stages), gemm))
    return;
  for (int64_t fewer = stages - 1; fewer >= kFewestStages; --fewer)
    if (storesZeros(get(fewer), gemm)) {
      addIfLegal(get(fewer));
      return;
    }
}

void Ranking::addTiles(const Candidate &candidate) {
  for (int64_t blockK : getBlockKs(gemm))
    for (int64_t split : getSplits(gemm, candidate, blockK, chip))
      for (ArrayRef<int64_t> cluster : getClusters(candidate))
        addDeepestRings(candidate, [&](int64_t stages, int64_t staging) {
          return get(candidate, blockK, stages, split, cluster,
                     /*window=*/false, staging);
        });
  if (!gemm.a.isTransposed || gemm.wgrad.reducesRows)
    return;
  for (int64_t blockK : getBlockKs(gemm))
    addDeepestRings(candidate, [&](int64_t stages, int64_t staging) {
      return get(candidate, blockK, stages, /*split=*/1, /*cluster=*/{},
                 /*window=*/false, staging)
          .withGather(true);
    });
}

/// Those of taps that have sums of their own: with filters that stay, or a
/// cluster that shares them.
void Ranking::addTaps(const Candidate &candidate) {
  int64_t taps = gemm.phases.front().taps;
  auto getWith = [&](int64_t blockK, int64_t stages, int64_t staging,
                     ArrayRef<int64_t> cluster) {
    return get(candidate, blockK, stages, /*split=*/1, cluster,
               /*window=*/false, staging);
  };
  for (int64_t blockK : getBlockKs(gemm)) {
    for (SmallVector<int64_t> cluster : {SmallVector<int64_t>(), {1, 2}})
      addDeepestRings(candidate, [&](int64_t stages, int64_t staging) {
        ScheduleAttr tile = getWith(blockK, stages, staging, cluster);
        return getKeptOperand(tile, gemm) == KeptOperand::Left ? ScheduleAttr()
                                                               : tile;
      });
    // Half a block leaves room for more slots beside filters that stay.
    for (int64_t part : {blockK, blockK / 2}) {
      int64_t stages = std::max<int64_t>(
          taps * llvm::divideCeil(gemm.channels, part), kFewestStages);
      if (!isScheduleNumber(stages))
        continue; // No memory has room for so many.
      ScheduleAttr whole = getWith(part, stages, /*staging=*/0, /*cluster=*/{});
      if (part * gemm.elementBytes >= PanelTile::kMinSpanBytes &&
          getKeptOperand(whole, gemm) == KeptOperand::Left)
        addIfLegal(whole);
    }
  }
}

/// Those whose filter is resident, too.
void Ranking::addWindows(const Candidate &candidate, int64_t blockK,
                         ArrayRef<int64_t> cluster, bool gather) {
  auto getWindow = [&](int64_t stages, int64_t staging) {
    return get(candidate, blockK, stages, /*split=*/1, cluster,
               /*window=*/true, staging)
        .withGather(gather);
  };
  int64_t all =
      gemm.views.window->numTaps() * llvm::divideCeil(gemm.channels, blockK);
  for (int64_t staging : {int64_t(0), kRowsOfWgmma}) {
    if (!isScheduleNumber(all))
      break; // No memory has room for so many stages.
    ScheduleAttr whole = getWindow(all, staging);
    if (getKeptOperand(whole, gemm) == KeptOperand::Right && cluster.empty() &&
        addIfLegal(whole))
      break;
  }
  addDeepestRings(candidate, getWindow);
}

/// Whether positions of the input are further apart than those of the result.
static bool hasStride(const convmlir::MatrixView &view) {
  return llvm::any_of(ArrayRef(view.stride).take_front(view.spatialRank),
                      [](int64_t stride) { return stride > 1; });
}

/// Those whose taps share a window.
void Ranking::addWindows(const Candidate &candidate) {
  // Windows of wgrad have other tiles.
  if (!gemm.views.window || gemm.wgrad.resultTaps > 1)
    return;
  SmallVector<int64_t> blockKs = getBlockKs(gemm);
  if (blockKs.empty())
    return;
  int64_t taps = gemm.views.window->numTaps();
  if (taps == 0 || gemm.channels == 0)
    return; // No tap reaches the result, which is zeros.
  for (ArrayRef<int64_t> cluster : getClusters(candidate)) {
    if (cluster.size() > 1 && cluster.back() > 1)
      continue; // Windows are not shared.
    addWindows(candidate, blockKs.front(), cluster, /*gather=*/false);
    if (!gemm.a.isTransposed || !cluster.empty())
      continue;
    addWindows(candidate, blockKs.front(), cluster, /*gather=*/true);
    // Windows with a stride are large: half a line of channels is half of it.
    if (int64_t half = blockKs.front() / 2;
        hasStride(*gemm.views.window) &&
        half * gemm.elementBytes > PanelTile::kMinSpanBytes)
      addWindows(candidate, half, cluster, /*gather=*/true);
  }
}

void conv::addPanels(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) {
  Ranking ranking(request, ranked);
  if (request.gemm.kn2row.tapSums == 1)
    for (const Candidate &candidate : getCandidates(request.gemm))
      ranking.addTiles(candidate);
}

void conv::addWindows(const CandidateRequest &request,
                      SmallVectorImpl<RankedSchedule> &ranked) {
  Ranking ranking(request, ranked);
  for (const Candidate &candidate : getCandidates(request.gemm))
    ranking.addWindows(candidate);
}

void conv::addTapSums(const CandidateRequest &request,
                      SmallVectorImpl<RankedSchedule> &ranked) {
  Ranking ranking(request, ranked);
  if (request.gemm.kn2row.tapSums > 1)
    for (const Candidate &candidate : getTapCandidates(request.gemm))
      ranking.addTaps(candidate);
}
