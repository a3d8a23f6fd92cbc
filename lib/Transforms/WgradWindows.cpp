//===- WgradWindows.cpp - schedules of wgrad with windows -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a schedule, or a problem. Output: the limit that the schedule breaks,
// or the candidates and their modelled times.
//
//===----------------------------------------------------------------------===//

#include "WgradWindows.h"

#include "GatherSchedule.h"
#include "HopperModel.h"
#include "HopperSchedule.h"
#include "KMajorWgrad.h"
#include "KernelThreads.h"
#include "TailSchedule.h"
#include "WgradWindowShape.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Transforms/SharedTile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using convmlir::Spatial;
using convmlir::WindowBlock;
using llvm::formatv;

static constexpr int64_t kRows = kWgradWindowRows;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static std::string whyIllegalShape(ScheduleAttr schedule, int64_t line) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  if (warps[0] != kWarpsPerWarpgroup || warps[1] > 3)
    return formatv("a window of wgrad wants 4 by 1, 2 or 3 warps, whose "
                   "warpgroups divide the taps, but the schedule has {0} by "
                   "{1}",
                   warps[0], warps[1]);
  if (tile[0] != kRows)
    return formatv("tile gemm-m ({0}) must be {1} with a window of wgrad",
                   tile[0], kRows);
  if (tile[1] % line != 0 || tile[1] < 2 * line)
    return formatv("tile gemm-n ({0}) must be {1} channels of each of two or "
                   "more taps",
                   tile[1], line);
  return "";
}

/// Blocks of dy with channels first are runs of positions of one image.
static std::string whyNoRuns(const WgradWindow &window, const GemmShape &gemm,
                             ScheduleAttr schedule) {
  if (window.padded == *gemm.windowView && window.block.images == 1)
    return "";
  return formatv("with k-major, blocks of {0} positions of a window must be "
                 "whole rows, of a multiple of eight positions, that make up "
                 "an image, or equal parts of a row",
                 schedule.getTile()[2]);
}

std::string conv::whyIllegalWgradWindow(ScheduleAttr schedule,
                                        const GemmShape &gemm,
                                        const ChipInfo &chip) {
  if (std::string why =
          whyIllegalShape(schedule, convmlir::getLineChannels(gemm.n));
      !why.empty())
    return why;
  if (!gemm.windowView)
    return "input dilation and flipped filters have no window of wgrad";
  auto window = getWgradWindow(schedule, gemm);
  if (!window)
    return window.error();
  if (window->block.packed && !window->raw)
    return formatv("a window of wgrad with a stride is for x with channels "
                   "first, as 'gather' has it: {0}",
                   whyNoRawWindow(*window, schedule, gemm));
  if (schedule.getStages() < 2 || schedule.getStages() > 12)
    return formatv("stages must be 2 to 12, but is {0}", schedule.getStages());
  if (schedule.getTeams() > 1)
    return "a window of wgrad has one team of warps";
  if (schedule.getClusterSize() > 1)
    return "a window of wgrad has no kernel with clusters";
  if (schedule.getStaging() > 0)
    return "a window of wgrad stages nothing of its result";
  if (gemm.isKMajor)
    if (std::string why = whyNoRuns(*window, gemm, schedule); !why.empty())
      return why;
  if (int64_t most = kMostWindowBarriers - window->countBoxes();
      schedule.getStages() > most)
    return formatv("barriers of {0} stages at most have room, but there are "
                   "{1}",
                   most, schedule.getStages());
  bool isTail = hasNumberedTail(schedule);
  int64_t parts = isTail ? schedule.getTail() : schedule.getSplit();
  if (parts > window->getBlocks())
    return formatv("{0} is {1}, but gemm-k has {2} blocks of {3}",
                   isTail ? "tail" : "split-k", parts, window->getBlocks(),
                   schedule.getTile()[2]);
  if (std::string why = whyNoTail(schedule, gemm); !why.empty())
    return why;
  return whyNotResident(schedule,
                        schedule.getStages() *
                                window->getSlotBytes(gemm.elementBytes) +
                            window->getRawBytes() + kBarrierBytes,
                        window->getMostColumns(), chip);
}

static std::vector<int64_t> getShape(const MatrixView &view) {
  std::vector<int64_t> shape = {view.batch};
  shape.insert(shape.end(), view.extent.begin(),
               view.extent.begin() + view.spatialRank);
  shape.push_back(view.channels);
  return shape;
}

static std::string whyNoBox(const MatrixView &tensor, int64_t images,
                            const Spatial &positions, int64_t channels,
                            int64_t elementBytes) {
  std::vector<int64_t> box = {images};
  box.insert(box.end(), positions.begin(),
             positions.begin() + tensor.spatialRank);
  box.push_back(channels);
  auto view = convmlir::getTmaBoxView(getShape(tensor), box, elementBytes);
  return view ? std::string() : view.error();
}

std::string conv::whyNoWgradBoxes(ConvOpInterface op, ScheduleAttr schedule) {
  convmlir::ConvGeometry geometry =
      getComputedGeometry(op, schedule.getMerge(), schedule.getFold());
  MatrixView x = geometry.phases(convmlir::ConvKind::Wgrad).front().b;
  int64_t line = convmlir::getLineChannels(geometry.c / geometry.groups);
  auto window = getWgradWindow(schedule, x, line);
  if (!window)
    return window.error();
  int64_t bytes = op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  const WindowBlock &block = window->block;
  GemmShape gemm = getGemmShape(op, schedule);
  std::string why;
  if (gemm.isKMajor)
    why = whyNoImageTiles(op, kRows, schedule.getTile()[2]);
  else if (!gathersA(schedule, gemm))
    why =
        whyNoBox(geometry.outputView(), block.images, block.box, kRows, bytes);
  if (why.empty() && !gathersB(schedule, gemm))
    why = whyNoBox(x, block.images, block.window, line, bytes);
  return why;
}

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

/// Rows of 32 bytes of both operands that come from shared memory in a cycle:
/// instructions of one tap wait for theirs.
static constexpr double kLinesPerCycle = 3;
/// Of the launch and of the first block, which is large.
static constexpr double kCyclesPerLaunch = 6500;
/// Blocks of 256 to 384 positions took 1.25 to 1.8 times as long with two slots
/// as with three.
static constexpr double kTwoSlotsFactor = 1.3;

/// What rows of less than 128 bytes of dy, K-major, take longer.
static double getNarrowRowCycles(int64_t positions, int64_t elementBytes) {
  convmlir::PanelTile tile(kRows, positions, elementBytes);
  double rows = double(kRows) * tile.getNumPanels();
  return std::max(0.0, rows * kCyclesPerPanelRow -
                           tile.getBytes() / kCopyBytesPerCycle);
}

/// Of a tile whose result is stored at once, and of each of its lines, which
/// are of one filter and tap. Tiles of 3 and 9 taps took 2300 and 4200 cycles
/// longer than their bytes say; those of parts did not.
static double getStoredLinesCycles(int64_t taps) {
  constexpr double perTile = 1350, perLine = 5;
  return perTile + perLine * kRows * taps;
}

/// What rows take longer that are partly outside of dy: of filters whose number
/// is no multiple of a tile's. One tile of them has such rows.
static double getClippedRowCycles(int64_t filters, int64_t positions) {
  return filters % kRows == 0 ? 0
                              : kCyclesPerClippedRow * positions /
                                    llvm::divideCeil(filters, kRows);
}

/// Of lines that threads gather.
static double getGatherCycles(const WgradWindow &window, ScheduleAttr schedule,
                              const GemmShape &gemm) {
  int64_t dy = gathersA(schedule, gemm) ? schedule.getTile()[2] * kRows : 0;
  int64_t x = gathersB(schedule, gemm)
                  ? window.block.getWindowLines() * window.line
                  : 0;
  return getGatherCycles(schedule, gemm, double(dy + x) * gemm.elementBytes,
                         /*readBytes=*/0);
}

/// 0 where there are none.
static int64_t getBoxSlots(const WgradWindow &window, ScheduleAttr schedule,
                           const GemmShape &gemm) {
  return window.countBoxes() == 0
             ? 0
             : getBoxSlots(schedule, window.countBoxes(), window.getRawBytes(),
                           window.getSlotBytes(gemm.elementBytes));
}

/// With two slots, boxes are transposed when the products of a block are over,
/// and those of the next one wait for them (measured).
static double getBlockCycles(const WgradWindow &window, ScheduleAttr schedule,
                             const GemmShape &gemm, double products,
                             double copies) {
  if (window.getRawBytes() == 0) {
    // A slot is loaded again when its products have been made.
    double slot = (kSlotCycles + copies) / (schedule.getStages() - kHeldSlots);
    return std::max(
        {products, copies, getGatherCycles(window, schedule, gemm), slot});
  }
  double boxes =
      getBoxCycles(window.getRawBytes(), getBoxSlots(window, schedule, gemm));
  return schedule.getStages() < 3 ? products + std::max(boxes, copies)
                                  : std::max({products, copies, boxes});
}

/// Cycles as in HopperModel.cpp: all taps of a tile are multiplied for each
/// 16 positions of a block, and the lines of a block are copied once.
static double getWgradWindowCycles(ScheduleAttr schedule, const GemmShape &gemm,
                                   const ChipInfo &chip) {
  WgradWindow window = *getWgradWindow(schedule, gemm);
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t split = schedule.getSplit();
  double products = 0;
  for (TapRun run : window.runs) {
    int64_t columns = run.number * window.line;
    products += std::max(columns / 2.0, (kRows + columns) / kLinesPerCycle);
  }
  products *= schedule.getWarps()[1] * tile[2] / 16.0;
  double copies = window.getCopiedBytes(gemm.elementBytes) / kCopyBytesPerCycle;
  if (gemm.isKMajor)
    copies += getNarrowRowCycles(window.dyPositions, gemm.elementBytes);
  else
    copies += getClippedRowCycles(gemm.phases.front().m, tile[2]);
  double resultBytes = split > 1 ? kPartBytes : gemm.resultBytes;
  double block = getBlockCycles(window, schedule, gemm, products, copies) +
                 kPowerOfCopies * copies;
  double end = getStoreCycles(schedule, resultBytes);
  if (split == 1)
    end += getStoredLinesCycles(tile[1] / window.line);
  double time = kCyclesPerLaunch +
                getTileCycles(schedule, gemm, chip, window.getBlocks(), block,
                              end, getStoreCycles(schedule, kPartBytes));
  // Two slots leave the products of one to hide all of a load.
  if (schedule.getStages() < 3)
    time *= kTwoSlotsFactor;
  if (split > 1)
    time += getSumCycles(double(gemm.getResults()) * split, chip);
  return time + getTailSumCycles(schedule, gemm, chip);
}

//===----------------------------------------------------------------------===//
// Candidates
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
static void addCandidates(MLIRContext *context, const GemmShape &gemm,
                          const ChipInfo &chip, int64_t taps,
                          int64_t warpgroups, int64_t positions, bool gather,
                          SmallVectorImpl<RankedSchedule> &ranked) {
  constexpr int64_t maxStages = 7;
  int64_t line = convmlir::getLineChannels(gemm.n);
  auto get = [&](int64_t stages, int64_t split) {
    return ScheduleAttr::get(context, Algorithm::ImplicitGemm,
                             {kRows, taps * line, positions},
                             {kWarpsPerWarpgroup, warpgroups}, stages,
                             CopyKind::Tma, MmaKind::Wgmma, split,
                             /*cluster=*/{}, /*resident=*/1, /*teams=*/1,
                             /*window=*/true, /*staging=*/0, gemm.merge,
                             /*tail=*/1, gemm.fold, gather, gemm.isKMajor,
                             /*kn2row=*/false);
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

void conv::addWgradWindows(MLIRContext *context, const GemmShape &gemm,
                           const ChipInfo &chip,
                           SmallVectorImpl<RankedSchedule> &ranked) {
  if (gemm.resultTaps < 2 || !gemm.windowView)
    return;
  SmallVector<bool, 2> gathers = {false};
  if (gemm.isTransposedA || gemm.isTransposedB)
    gathers.push_back(true);
  // As many as the accumulators hold.
  int64_t mostTaps = convmlir::getLineChannels(gemm.n) <= 16 ? 16 : 12;
  for (int64_t taps = 2; taps <= std::min(mostTaps, gemm.resultTaps); ++taps)
    for (int64_t warpgroups : {1, 2, 3})
      for (int64_t positions :
           {64, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512})
        for (bool gather : gathers)
          addCandidates(context, gemm, chip, taps, warpgroups, positions,
                        gather, ranked);
}
