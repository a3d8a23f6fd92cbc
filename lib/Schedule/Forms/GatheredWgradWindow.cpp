//===- GatheredWgradWindow.cpp - operands of wgrad with windows -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/GatheredWgradWindow.h"

#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/KMajorWgrad.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using convmlir::RawWindow;

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
    auto found = getRawWindow(dy, dy.taps, positions);
    if (!found)
      return;
    rawDy = *found;
  }
  if (isX) {
    auto found = getRawWindow(window.padded, window.taps, positions);
    if (!found)
      return;
    raw = *found;
  }
  window.rawDy = rawDy;
  window.raw = raw;
}

convmlir::Result<WgradWindow> conv::getWgradWindow(ScheduleAttr schedule,
                                                   const GemmShape &gemm) {
  auto window = getWgradWindow(schedule, *gemm.views.window,
                               convmlir::getLineChannels(gemm.n));
  if (!window)
    return window;
  addRawWindows(*window, *gemm.views.window, schedule.getTile()[2],
                gathersA(schedule, gemm), gathersB(schedule, gemm));
  window->dyPositions = schedule.getTile()[2];
  if (gemm.wgrad.isKMajor)
    window->dyPositions = getStoredPositions(
        schedule,
        schedule.getStages() * window->getWindowBytes(gemm.elementBytes) +
            window->getRawBytes() + kBarrierBytes);
  return window;
}
