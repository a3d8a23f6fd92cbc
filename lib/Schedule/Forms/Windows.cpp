//===- Windows.cpp - tiles whose taps share one window --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#include "conv/Schedule/Forms/Windows.h"

#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Geometry/RawWindow.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/KeptOperands.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/ClusterShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::WindowTile;
using llvm::formatv;

std::string conv::whyNoWindow(ScheduleAttr schedule, const GemmShape &gemm) {
  if (gemm.isChannelsFirst)
    return "a window is for several taps, and images with their channels first "
           "have one";
  if (!gemm.views.window && gemm.wgrad.reducesRows)
    return "input dilation and flipped filters have no window of wgrad";
  if (!gemm.views.window)
    return "a window needs one phase, as forward without input dilation and "
           "dgrad with stride 1 have";
  if (schedule.getSplit() > 1)
    return "split-k and windows have no kernel together yet";
  auto window = getWindowTile(*gemm.views.window, schedule);
  if (!window)
    return window.error();
  constexpr int64_t bytesOfSlot = 16, mostWindows = 3;
  int64_t others = mostWindows;
  if (gathersA(schedule, gemm)) {
    auto raw = convmlir::getRawWindow(*gemm.views.window, *window);
    if (!raw)
      return raw.error();
    others += raw->getBoxes();
  }
  if (int64_t most = kBarrierBytes / bytesOfSlot - others;
      schedule.getStages() > most)
    return formatv("barriers of {0} stages at most have room, but there are "
                   "{1}",
                   most, schedule.getStages());
  int64_t channels = schedule.getTile()[2];
  PanelTile panels(window->getLines(), channels, gemm.elementBytes);
  if (panels.getNumPanels() > 1 &&
      window->getLines() % convmlir::SharedTile::kSwizzlePeriod != 0)
    return formatv("a window of {0} lines has {1} channels in several panels, "
                   "which must be a multiple of {2} lines",
                   window->getLines(), channels,
                   +convmlir::SharedTile::kSwizzlePeriod);
  return "";
}

/// The ring of windows, which may have scratch behind them, and that of filter
/// tiles.
static int64_t getBytes(ScheduleAttr schedule, const WindowTile &window,
                        int64_t elementBytes, int64_t slots, bool hasScratch) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t lines = window.getSlotLines();
  if (hasScratch)
    lines += convmlir::RawWindow::getScratchLines(tile[2]);
  return (slots * lines + schedule.getStages() * tile[1]) * tile[2] *
         elementBytes;
}

int64_t conv::getWindowSlots(ScheduleAttr schedule, const WindowTile &window,
                             int64_t elementBytes, int64_t resultBytes,
                             int64_t rawBytes) {
  constexpr int64_t most = 3;
  int64_t others =
      rawBytes + getStagedBytes(schedule, resultBytes) + kBarrierBytes;
  bool fits =
      getBytes(schedule, window, elementBytes, most, rawBytes > 0) + others <=
      getSharedBytesPerWorkgroup(schedule);
  return fits ? most : most - 1;
}

int64_t conv::getRawWindowBytes(ScheduleAttr schedule, const GemmShape &gemm) {
  if (!schedule.getWindow() || !gathersA(schedule, gemm))
    return 0;
  WindowTile window = *getWindowTile(*gemm.views.window, schedule);
  return convmlir::getRawWindow(*gemm.views.window, window)
      ->getBytes(schedule.getTile()[2]);
}

int64_t conv::getWindowRingBytes(ScheduleAttr schedule, const GemmShape &gemm) {
  WindowTile window = *getWindowTile(*gemm.views.window, schedule);
  int64_t rawBytes = getRawWindowBytes(schedule, gemm);
  int64_t slots = getWindowSlots(schedule, window, gemm.elementBytes,
                                 gemm.epilogue.resultBytes, rawBytes);
  return rawBytes +
         getBytes(schedule, window, gemm.elementBytes, slots, rawBytes > 0);
}

WindowTraffic conv::getWindowTraffic(ScheduleAttr schedule,
                                     const GemmShape &gemm) {
  WindowTile window = *getWindowTile(*gemm.views.window, schedule);
  // What TMA copies where threads make the windows of it.
  int64_t rawBytes = getRawWindowBytes(schedule, gemm);
  double lines = rawBytes > 0 ? double(rawBytes) /
                                    (schedule.getTile()[2] * gemm.elementBytes)
                              : double(window.getLines());
  return {convmlir::padToTiles(*gemm.views.window, window).numRows(),
          lines / gemm.views.window->numTaps() +
              (getKeptOperand(schedule, gemm) == KeptOperand::Right
                   ? 0
                   : double(schedule.getTile()[1]) / getClusterM(schedule))};
}

int64_t conv::getPackedNeighbours(ScheduleAttr schedule,
                                  const GemmShape &gemm) {
  if (!schedule.getWindow() || !gathersA(schedule, gemm))
    return 0;
  WindowTile window = *getWindowTile(*gemm.views.window, schedule);
  if (!window.isPacked)
    return 0;
  int64_t both = gemm.views.window->rows[1] | window.tile[1];
  return both & -both;
}
