//===- TapTileRules.cpp - tiles of several taps of dw ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TapTileRules.h"

#include "conv/Schedule/Forms/ImageTapShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

int64_t TapTileRules::countTiles(ScheduleAttr schedule,
                                 const GemmShape &gemm) const {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t line = getTapChannels(schedule, gemm.n);
  return llvm::divideCeil(gemm.phases.front().m, tile[0]) *
         llvm::divideCeil(gemm.n, line) *
         (gemm.wgrad.resultTaps * line / tile[1]) * gemm.groups;
}
