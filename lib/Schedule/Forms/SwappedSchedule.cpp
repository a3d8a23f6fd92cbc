//===- SwappedSchedule.cpp - wgmma with positions as columns --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legality of schedules that swap the operands of wgmma.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Geometry/PhaseCount.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/Windows.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;
using llvm::formatv;

/// Columns of an instruction, and rows or lines of a box of TMA; bytes of an
/// element that `stmatrix` transposes.
static constexpr int64_t kMostColumns = 256, kMatrixBytes = 2;

int64_t conv::getInstructionColumns(ScheduleAttr schedule,
                                    const GemmShape &gemm) {
  if (!swapsOperands(schedule))
    return schedule.getTile()[1];
  if (!schedule.getWindow())
    return llvm::alignTo(schedule.getTile()[0], SharedTile::kSwizzlePeriod) /
           schedule.getWarps()[0];
  return getWindowTile(*gemm.views.window, schedule)->getPartLines();
}

/// Of operations.
static std::string whyNoSwap(ScheduleAttr schedule, const GemmShape &gemm) {
  if (gemm.wgrad.reducesRows || gemm.isChannelsFirst)
    return "filters are the rows of wgmma in forward and dgrad only, which "
           "read images with their channels last";
  Type factor = gemm.factorType;
  if (!(factor.isF16() || factor.isBF16()) ||
      gemm.epilogue.resultBytes != kMatrixBytes)
    return "filters are the rows of wgmma where operands and result have 16 "
           "bits, which stmatrix transposes";
  bool endsWithGroup =
      gemm.groups == 1 || (gemm.n % schedule.getTile()[1] == 0 &&
                           schedule.getWindow() && !gemm.stored.isTransposed);
  if (!endsWithGroup || gemm.views.cells)
    return "filters are the rows of wgmma where whole tiles of the result are "
           "stored: without zeros between results, and of groups those that "
           "whole tiles divide, with windows";
  if (schedule.getGather() && !schedule.getWindow())
    if (auto images = getImageSlots(schedule, gemm); !images)
      return "gather with filters as the rows of wgmma: " + images.error();
  if (schedule.getStaging() == 0 || countWholeImages(schedule, gemm) > 0)
    return "";
  return formatv("staging with filters as the rows of wgmma is {0}, of tiles "
                 "that are whole images of a result with its channels first, "
                 "of a multiple of {0}, without a window",
                 kRowsOfWgmma);
}

/// Pairs of neighbouring positions, as a thread has them, are staged in rows of
/// them, of all filters of the tile.
static std::string whyNoChannelRows(ScheduleAttr schedule,
                                    const GemmShape &gemm) {
  if (!gemm.stored.isTransposed)
    return "";
  if (gemm.epilogue.readResults > 0)
    return "an epilogue that reads tensors of the result's shape has no kernel "
           "with filters as the rows of wgmma where the result has its "
           "channels first";
  if (countWholeImages(schedule, gemm) > 0)
    return "";
  constexpr int64_t chunk = convmlir::kChunkBytes / kMatrixBytes;
  if (schedule.getWarps()[1] != kWarpsPerWarpgroup ||
      getStagedRows(schedule) % chunk != 0)
    return formatv("a result with its channels first takes whole images of up "
                   "to 256 positions and 16 filters for each warp, or 4 warps "
                   "along gemm-n and a multiple of {0} positions for each "
                   "along gemm-m",
                   chunk);
  if (!schedule.getWindow() || gemm.views.window->spatialRank == 1)
    return "";
  auto window = getWindowTile(*gemm.views.window, schedule);
  int last = window->spatialRank - 1;
  if (window->tile[last] % 2 != 0 || window->window[last] % 2 != 0)
    return formatv("a result with its channels first takes rows of an even "
                   "number of positions, in a tile and its window, but they "
                   "have {0} and {1}",
                   window->tile[last], window->window[last]);
  return "";
}

std::string conv::whyIllegalSwapped(ScheduleAttr schedule,
                                    const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  int64_t warpgroups = warps[0] * warps[1] / kWarpsPerWarpgroup;
  if (warpgroups > 3 || schedule.getTeams() > 2 ||
      (schedule.getTeams() > 1 && warpgroups > 1))
    return formatv("one team of 1 to 3 warpgroups, or two of 1, take the tiles "
                   "in turn, but the schedule has {0} teams of {1} by {2} "
                   "warps",
                   schedule.getTeams(), warps[0], warps[1]);
  if (std::string why = whyNoSwap(schedule, gemm); !why.empty())
    return why;
  if (int64_t unit = 16 * warps[1]; tile[1] % unit != 0 || tile[1] > 256)
    return formatv("tile gemm-n ({0}) must be a multiple of {1} filters, 16 "
                   "for each of {2} warps, up to 256",
                   tile[1], unit, warps[1]);
  int64_t bytes = tile[2] * gemm.elementBytes;
  constexpr int64_t mostBytes = 2 * PanelTile::kMaxSpanBytes;
  if (!PanelTile::isPossible(tile[2], gemm.elementBytes) || bytes > mostBytes)
    return formatv("tile gemm-k ({0}) must be a multiple of 32 bytes up to "
                   "{1}, but is {2}",
                   tile[2], mostBytes, bytes);
  // The lines of an instruction may begin within a tile, and its next panel has
  // to be as far behind as that of the tile.
  bool isWhole = !schedule.getWindow() && warps[0] == 1 &&
                 (schedule.getGather() || tile[0] == getTileLines(schedule));
  if (!isWhole && PanelTile(1, tile[2], gemm.elementBytes).getNumPanels() > 1)
    return formatv("tile gemm-k ({0}) must be 32, 64 or 128 bytes, but is {1}, "
                   "which wants a gemm-m that is a multiple of 8, no window "
                   "and one warp along gemm-m",
                   tile[2], bytes);
  constexpr int64_t unit = SharedTile::kSwizzlePeriod;
  int64_t most = schedule.getWindow() ? warps[0] * kMostColumns : kMostColumns;
  bool hasAnyRows = schedule.getWindow()
                        ? tile[1] == 16 * warps[1] &&
                              getStagedColumns(schedule) <= kRowsOfWgmma
                        : countWholeImages(schedule, gemm) > 0;
  int64_t least = hasAnyRows ? 1 : unit;
  if (tile[0] % (least * warps[0]) != 0)
    return formatv("tile gemm-m ({0}) must be a multiple of {1} positions{2}",
                   tile[0], least * warps[0],
                   gemm.stored.isTransposed && !schedule.getWindow()
                       ? ", or whole images of a multiple of 64 channels, of "
                         "which 64 are staged at a time"
                       : "");
  // A tile of one position would be a row, and lose a dimension on its way.
  if (tile[0] < 2)
    return formatv("tile gemm-m ({0}) must be at least 2 positions", tile[0]);
  if (tile[0] > most)
    return formatv("tile gemm-m ({0}) must be at most {1} positions", tile[0],
                   most);
  if (schedule.getWindow()) {
    if (std::string why = whyNoWindow(schedule, gemm); !why.empty())
      return why;
  }
  if (std::string why = whyNoChannelRows(schedule, gemm); !why.empty())
    return why;
  int64_t blocks = getStagedColumns(schedule) / kRowsOfWgmma;
  int64_t sums = blocks * getInstructionColumns(schedule, gemm) / 2;
  // Of whole images that are staged in parts, registers are the limit
  // (whyNotResident).
  constexpr int64_t mostSums = 128;
  if (sums > mostSums)
    return formatv("{0} sums a thread, padding between rows included, but at "
                   "most {1} leave room for the rest",
                   sums, mostSums);
  return "";
}

/// A tile of a window is a box, whose channels must be whole chunks; others are
/// rows of each phase's view.
std::string conv::whyNoSwappedStore(ConvOpInterface op, ScheduleAttr schedule) {
  convmlir::ConvGeometry geometry =
      getComputedGeometry(op, schedule.getMerge(), schedule.getFold());
  constexpr int64_t mostMaps = 16;
  int64_t phases = convmlir::countAllPhases(geometry, op.getConvKind());
  if (phases > mostMaps)
    return formatv("TMA stores {0} stride phases, but {1} have tensor maps",
                   phases, mostMaps);
  for (const convmlir::GemmPhase &phase : geometry.phases(op.getConvKind())) {
    const convmlir::MatrixView &view = phase.result;
    if (schedule.getWindow()) {
      constexpr int64_t unit = convmlir::kChunkBytes / kMatrixBytes;
      if (view.channels % unit != 0)
        return formatv("TMA stores channels in multiples of {0}, but the "
                       "result has {1}",
                       unit, view.channels);
      continue;
    }
    auto tma = convmlir::getTmaStoreView(view, /*groups=*/1, kMatrixBytes,
                                         getStagedRows(schedule),
                                         getStagedColumns(schedule));
    if (!tma)
      return tma.error();
  }
  return "";
}
