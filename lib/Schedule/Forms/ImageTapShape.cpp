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

convmlir::Result<ImageTaps> conv::getImageTaps(ScheduleAttr schedule,
                                               const GemmShape &gemm) {
  ArrayRef<int64_t> tile = schedule.getTile();
  const convmlir::MatrixView &view = *gemm.views.window;
  auto taps = convmlir::getTapBox(view.taps, view.spatialRank,
                                  tile[1] / getTapChannels(schedule, gemm.n));
  if (!taps)
    return taps.takeError();
  return convmlir::getImageTaps(view, *taps, tile[2]);
}

int64_t conv::countImageTapBlocks(ScheduleAttr schedule,
                                  const GemmShape &gemm) {
  return gemm.phases.front().taps *
         llvm::divideCeil(gemm.channels, schedule.getTile()[2]);
}
