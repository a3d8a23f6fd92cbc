//===- WgradWindowShape.cpp - blocks of wgrad with windows ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a schedule, and a problem or the view of its input. Output: what a
// block has, or the reason why there is none.
//
//===----------------------------------------------------------------------===//

#include "WgradWindowShape.h"

#include "GatherSchedule.h"
#include "KMajorWgrad.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using convmlir::RawWindow;
using convmlir::Spatial;
using convmlir::WindowBlock;

int64_t conv::getRawSlotBytes(const WindowBlock &block, int64_t channels) {
  constexpr int64_t bytes = 2;
  return (llvm::alignTo(block.getWindowLines(), 8) +
          RawWindow::getScratchLines(channels)) *
         channels * bytes;
}

int64_t conv::getBoxSlots(ScheduleAttr schedule, int64_t boxes,
                          int64_t boxBytes, int64_t slotBytes) {
  constexpr int64_t most = 2;
  int64_t stages = schedule.getStages();
  bool fits = stages * slotBytes + most * boxBytes + kBarrierBytes <=
                  getSharedBytesPerWorkgroup(schedule) &&
              stages + most * boxes <= kMostWindowBarriers;
  return fits ? most : 1;
}

convmlir::Result<WgradWindow> conv::getWgradWindow(ScheduleAttr schedule,
                                                   const MatrixView &view,
                                                   int64_t line) {
  ArrayRef<int64_t> tile = schedule.getTile();
  auto taps = convmlir::getTapBox(view.taps, view.spatialRank, tile[1] / line);
  if (!taps)
    return taps.takeError();
  auto padded = convmlir::padToBlocks(
      view, *taps, tile[2], {schedule.getGather(), schedule.getKMajor()});
  if (!padded)
    return padded.takeError();
  auto block = convmlir::getWindowBlock(*padded, *taps, tile[2]);
  if (!block)
    return block.takeError();
  auto runs =
      getTapRuns(*taps, view.spatialRank, getTapLines(*padded, *taps, *block),
                 schedule.getWarps()[1], line);
  if (!runs)
    return runs.takeError();
  return WgradWindow{*taps, std::move(*runs), *padded, *block, line};
}

/// The padded view of dy: the same positions, of another tensor.
static MatrixView getDyView(const MatrixView &padded, const MatrixView &view) {
  MatrixView dy = padded;
  dy.extent = view.rows;
  dy.taps = dy.step = dy.stride = {1, 1, 1};
  dy.offset = {0, 0, 0};
  return dy;
}

static convmlir::Result<RawWindow>
getRawWindow(const MatrixView &padded, const Spatial &taps, int64_t positions) {
  auto block = convmlir::getWindowBlock(padded, taps, positions);
  if (!block)
    return block.takeError();
  return convmlir::getRawWindow(padded, taps, *block);
}

bool conv::transposesDyApart(const MatrixView &dy, const MatrixView &x,
                             const Spatial &taps, int64_t positions) {
  return ::getRawWindow(x, taps, positions) &&
         !::getRawWindow(dy, dy.taps, positions);
}

bool conv::transposesDyApart(ScheduleAttr schedule, const GemmShape &gemm) {
  auto window = getWgradWindow(schedule, *gemm.windowView,
                               convmlir::getLineChannels(gemm.n));
  return window &&
         transposesDyApart(getDyView(window->padded, *gemm.windowView),
                           window->padded, window->taps, schedule.getTile()[2]);
}

std::string conv::whyNoRawWindow(const WgradWindow &window,
                                 ScheduleAttr schedule, const GemmShape &gemm) {
  if (!gathersB(schedule, gemm))
    return "this one is not";
  auto raw = convmlir::getRawWindow(window.padded, window.taps, window.block);
  return raw ? "what else it gathers, TMA cannot load as it lies" : raw.error();
}

/// Of what is gathered, where TMA can load all of it as it lies.
static void addRawWindows(WgradWindow &window, const MatrixView &view,
                          int64_t positions, bool isDy, bool isX) {
  std::optional<RawWindow> rawDy, raw;
  if (isDy) {
    MatrixView dy = getDyView(window.padded, view);
    auto found = ::getRawWindow(dy, dy.taps, positions);
    if (!found)
      return;
    rawDy = *found;
  }
  if (isX) {
    auto found = ::getRawWindow(window.padded, window.taps, positions);
    if (!found)
      return;
    raw = *found;
  }
  window.rawDy = rawDy;
  window.raw = raw;
}

convmlir::Result<WgradWindow> conv::getWgradWindow(ScheduleAttr schedule,
                                                   const GemmShape &gemm) {
  auto window = getWgradWindow(schedule, *gemm.windowView,
                               convmlir::getLineChannels(gemm.n));
  if (!window)
    return window;
  addRawWindows(*window, *gemm.windowView, schedule.getTile()[2],
                gathersA(schedule, gemm), gathersB(schedule, gemm));
  window->dyPositions = schedule.getTile()[2];
  if (gemm.isKMajor)
    window->dyPositions = getStoredPositions(
        schedule,
        schedule.getStages() * window->getWindowBytes(gemm.elementBytes) +
            window->getRawBytes() + kBarrierBytes);
  return window;
}
