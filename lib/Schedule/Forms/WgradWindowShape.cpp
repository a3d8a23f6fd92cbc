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

#include "conv/Schedule/Forms/WgradWindowShape.h"

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

MatrixView conv::getDyView(const MatrixView &padded, const MatrixView &view) {
  MatrixView dy = padded;
  dy.extent = view.rows;
  dy.taps = dy.step = dy.stride = {1, 1, 1};
  dy.offset = {0, 0, 0};
  return dy;
}

convmlir::Result<RawWindow> conv::getRawWindow(const MatrixView &padded,
                                               const Spatial &taps,
                                               int64_t positions) {
  auto block = convmlir::getWindowBlock(padded, taps, positions);
  if (!block)
    return block.takeError();
  return convmlir::getRawWindow(padded, taps, *block);
}

bool conv::transposesDyApart(const MatrixView &dy, const MatrixView &x,
                             const Spatial &taps, int64_t positions) {
  return conv::getRawWindow(x, taps, positions) &&
         !conv::getRawWindow(dy, dy.taps, positions);
}

bool conv::transposesDyApart(ScheduleAttr schedule, const GemmShape &gemm) {
  auto window = getWgradWindow(schedule, *gemm.views.window,
                               convmlir::getLineChannels(gemm.n));
  return window &&
         transposesDyApart(getDyView(window->padded, *gemm.views.window),
                           window->padded, window->taps, schedule.getTile()[2]);
}
