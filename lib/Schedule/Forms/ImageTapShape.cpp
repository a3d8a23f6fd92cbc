//===- ImageTapShape.cpp - blocks of wgrad with images in registers -------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Forms/ImageTapShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ImageTaps;

convmlir::Result<ImageTaps> conv::getImageTaps(const convmlir::MatrixView &view,
                                               int64_t numTaps,
                                               int64_t positions) {
  auto taps = convmlir::getTapBox(view.taps, view.spatialRank, numTaps);
  if (!taps)
    return taps.takeError();
  return convmlir::getImageTaps(view, *taps, positions);
}

convmlir::Result<ImageTaps> conv::getImageTaps(ScheduleAttr schedule,
                                               const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile();
  return getImageTaps(*gemm.views.window,
                      tile[1] / getTapChannels(schedule, gemm.n), tile[2]);
}

int64_t conv::countImageTapBlocks(ScheduleAttr schedule,
                                  const GemmShape &gemm) {
  return gemm.phases.front().taps *
         llvm::divideCeil(gemm.channels, schedule.getTile()[2]);
}
