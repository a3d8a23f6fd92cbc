//===- SwappedRanking.cpp - candidates with swapped operands --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the implicit GEMMs of an operation. Output: legal schedules with
// positions as the columns of wgmma. Where taps can share a window, tiles
// follow from the image: equal parts of its width, and as many rows as an
// instruction has columns for. Without windows they have as many positions, any
// multiple of eight, as make whole rounds of tiles, or, where the result has
// its channels first, those of whole images.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Ranking/SwappedRanking.h"
#include "conv/Dialect/Conv/IR/ScheduleLimits.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/Windows.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/Model/HopperModel.h"
#include "conv/Schedule/Model/Rates.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/Shape/TapRuns.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;
using convmlir::PanelTile;

namespace {
/// Filters of a tile, and the warps along them.
struct Filters {
  int64_t number, warps, teams;
};
} // namespace

static constexpr Filters kFilters[] = {
    {64, 4, 2}, {128, 8, 1}, {192, 12, 1}, {128, 4, 2}, {256, 8, 1},
};

/// Positions of tiles that divide an image evenly: of one instruction, and of
/// half as many rows where that leaves more tiles.
static SmallVector<int64_t> getPositions(const convmlir::MatrixView &view) {
  constexpr int64_t mostParts = 16, leastColumns = 8;
  llvm::SmallSetVector<int64_t, 16> positions;
  int last = view.spatialRank - 1;
  int64_t reach = (view.taps[last] - 1) * view.step[last];
  for (int64_t parts = 1; parts <= mostParts; ++parts) {
    int64_t columns = llvm::divideCeil(view.rows[last], parts);
    int64_t room = kMaxInstructionColumns - columns;
    if (room < 0)
      continue;
    if (columns < leastColumns && parts > 1)
      break;
    if (last == 0) {
      positions.insert(columns);
      continue;
    }
    int64_t height = view.rows[last - 1];
    int64_t most = room / (columns + reach) + 1;
    for (int64_t bands : {1, 2}) {
      int64_t number = bands * llvm::divideCeil(height, most);
      positions.insert(llvm::divideCeil(height, number) * columns);
    }
  }
  return positions.takeVector();
}

/// Channels of a block: a line of 128 bytes, or less that has them all.
static int64_t getBlockK(const GemmShape &gemm) {
  int64_t bytes = PanelTile::kMaxSpanBytes;
  while (bytes > PanelTile::kMinSpanBytes &&
         gemm.channels * gemm.elementBytes <= bytes / 2)
    bytes /= 2;
  return bytes / gemm.elementBytes;
}

namespace {
/// The legal candidates for one operation.
class Ranking {
public:
  Ranking(const CandidateRequest &request,
          SmallVectorImpl<RankedSchedule> &ranked)
      : context(request.context), gemm(request.gemm), chip(request.chip),
        ranked(ranked), blockK(getBlockK(gemm)),
        isChannelsFirst(gemm.a.isTransposed || gemm.stored.isTransposed) {}

  void addWindows();
  void addImages();
  void addTiles();

private:
  /// `factor`: of the time that the model says.
  bool addIfLegal(int64_t positions, Filters filters, bool window, bool gather,
                  int64_t stages, double factor = 1, int64_t staging = 0);
  bool addIfLegal(ScheduleAttr schedule, double factor = 1);
  ScheduleAttr get(int64_t positions, Filters filters, bool window, bool gather,
                   int64_t stages, int64_t blockK, int64_t staging) const;
  void addJoinedImages(int64_t positions);
  void addWindows(int64_t positions, Filters filters, bool gather);
  void addTiles(int64_t positions, Filters filters);

  MLIRContext *context;
  const GemmShape &gemm;
  const ChipInfo &chip;
  SmallVectorImpl<RankedSchedule> &ranked;
  int64_t blockK;
  bool isChannelsFirst;
};
} // namespace

ScheduleAttr Ranking::get(int64_t positions, Filters filters, bool window,
                          bool gather, int64_t stages, int64_t blockK,
                          int64_t staging) const {
  return ScheduleAttr::get(context,
                           {.tile = {positions, filters.number, blockK},
                            .warps = {1, filters.warps},
                            .stages = stages,
                            .copy = CopyKind::Tma,
                            .mma = MmaKind::Wgmma,
                            .teams = filters.teams,
                            .window = window,
                            .staging = staging,
                            .merge = gemm.variant.merge,
                            .fold = gemm.variant.fold,
                            .gather = gather});
}

bool Ranking::addIfLegal(int64_t positions, Filters filters, bool window,
                         bool gather, int64_t stages, double factor,
                         int64_t staging) {
  return addIfLegal(
      get(positions, filters, window, gather, stages, blockK, staging), factor);
}

bool Ranking::addIfLegal(ScheduleAttr schedule, double factor) {
  if (!whyIllegalOnHopper(schedule, gemm, chip).empty())
    return false;
  ranked.push_back(
      {schedule, factor * getModelledCycles(schedule, gemm, chip)});
  return true;
}

/// All of the filter stays in shared memory, or, where it is too large, comes
/// in a ring of its tiles, which takes 1.15 to 1.3 times as long; with channels
/// first others are faster than a ring.
void Ranking::addWindows(int64_t positions, Filters filters, bool gather) {
  constexpr int64_t deepest = 9, fewest = 4;
  int64_t all = gemm.views.window->numTaps() *
                llvm::divideCeil(std::max<int64_t>(gemm.channels, 1), blockK);
  bool stays =
      isScheduleNumber(all) && addIfLegal(positions, filters,
                                          /*window=*/true, gather, all);
  if (stays || isChannelsFirst)
    return;
  for (int64_t stages = std::min(deepest, all - 1); stages >= fewest; --stages)
    if (addIfLegal(positions, filters, /*window=*/true, gather, stages))
      return;
}

void Ranking::addWindows() {
  // Threads read a second residual one element at a time.
  if (!gemm.views.window || gemm.wgrad.reducesRows ||
      gemm.views.window->numTaps() == 0 || gemm.phases.front().m == 0 ||
      gemm.epilogue.readResults > 1)
    return;
  // With channels first more filters than a warpgroup has rows are not
  // measured.
  if (isChannelsFirst && gemm.n > kRowsOfWgmma)
    return;
  for (int64_t positions : getPositions(*gemm.views.window))
    for (Filters filters : kFilters)
      for (bool gather : {false, true})
        if (!gather || gemm.a.isTransposed)
          addWindows(positions, filters, gather);
}

/// Whole images of x as they lie, with the deepest ring that leaves as many
/// slots for them. Blocks of 32 channels, in rings of four, were faster than of
/// 64 in rings of two.
void Ranking::addJoinedImages(int64_t positions) {
  constexpr int64_t deepest = 4, fewest = 2, block = 32;
  for (Filters filters :
       {Filters{256, 8, 1}, {192, 12, 1}, {128, 8, 1}, {64, 4, 2}})
    for (int64_t stages = deepest; stages >= fewest; --stages) {
      ScheduleAttr schedule =
          get(positions, filters, /*window=*/false, /*gather=*/true, stages,
              block, /*staging=*/kRowsOfWgmma);
      auto images = getImageSlots(schedule, gemm);
      if (images && images->slots >= stages && addIfLegal(schedule))
        break;
    }
}

/// As many images as an instruction has columns for, or one less, which may
/// divide the batch. What the model called as fast as other tiles was 1 to 2 %
/// slower (22 problems, H200).
void Ranking::addImages() {
  constexpr int64_t sectorBytes = 32;
  constexpr int64_t deepest = 8, fewest = 3;
  int64_t image = gemm.stored.imagePositions;
  if (gemm.stored.positions * gemm.epilogue.resultBytes % sectorBytes == 0 ||
      image == 0 || gemm.epilogue.readResults > 0 || gemm.groups > 1)
    return;
  int64_t most = kMaxInstructionColumns / image;
  for (int64_t images = most; images > 0 && images >= most - 1; --images) {
    if (gemm.a.isTransposed)
      addJoinedImages(images * image);
    for (Filters filters : {Filters{128, 4, 2}, {64, 4, 2}, {128, 8, 1}}) {
      int64_t ofWarpgroup = filters.number * kWarpsPerWarpgroup / filters.warps;
      int64_t staging = ofWarpgroup > kRowsOfWgmma ? kRowsOfWgmma : 0;
      for (int64_t stages = deepest; stages >= fewest; --stages)
        if (addIfLegal(images * image, filters, /*window=*/false,
                       /*gather=*/false, stages, kDoubtOfSwapped, staging))
          break;
    }
  }
}

/// With the deepest ring. What the model called up to 3 % faster than other
/// tiles was 1 % slower (44 problems, H200).
void Ranking::addTiles(int64_t positions, Filters filters) {
  constexpr int64_t deepest = 8, fewest = 3;
  for (int64_t stages = deepest; stages >= fewest; --stages)
    if (addIfLegal(positions, filters, /*window=*/false, /*gather=*/false,
                   stages, kDoubtOfSwapped))
      return;
}

/// Tiles of few filters and many positions were slower than the model says, and
/// so were those whose filters few rows of tiles read.
void Ranking::addTiles() {
  // Others are not measured.
  if (!gemm.isPlain() || gemm.wgrad.reducesRows ||
      gemm.epilogue.readResults > 1 || gemm.phases.size() != 1)
    return;
  constexpr int64_t unit = 8, mostRounds = 3, least = 64, most = 256,
                    mostBesideFew = 192, fewestRows = 12;
  for (Filters filters : {Filters{64, 4, 2}, Filters{128, 8, 1}})
    for (int64_t rounds = 1; rounds <= mostRounds; ++rounds) {
      int64_t rows = rounds * chip.multiprocessors /
                     llvm::divideCeil(gemm.n, filters.number);
      if (rows < fewestRows)
        continue;
      int64_t positions =
          llvm::alignTo(llvm::divideCeil(gemm.phases.front().m, rows), unit);
      bool hasFew = filters.number <= kRowsOfWgmma;
      if (positions >= least && positions <= (hasFew ? mostBesideFew : most))
        addTiles(positions, filters);
    }
}

void conv::addSwappedWindows(const CandidateRequest &request,
                             SmallVectorImpl<RankedSchedule> &ranked) {
  Ranking(request, ranked).addWindows();
}

void conv::addSwappedImages(const CandidateRequest &request,
                            SmallVectorImpl<RankedSchedule> &ranked) {
  Ranking(request, ranked).addImages();
}

void conv::addSwappedTiles(const CandidateRequest &request,
                           SmallVectorImpl<RankedSchedule> &ranked) {
  Ranking(request, ranked).addTiles();
}
