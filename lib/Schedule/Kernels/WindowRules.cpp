//===- WindowRules.cpp - what windows of the input share ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowRules.h"

#include "conv/Schedule/Forms/Windows.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/ClusterShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

int64_t WindowRules::countTiles(ScheduleAttr schedule,
                                const GemmShape &gemm) const {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t rows = getWindowTraffic(schedule, gemm).rows;
  return gemm.phases.size() *
         llvm::alignTo(llvm::divideCeil(rows, tile[0]), getClusterM(schedule)) *
         llvm::alignTo(llvm::divideCeil(gemm.n, tile[1]),
                       getClusterN(schedule)) *
         gemm.wgrad.resultTaps * gemm.groups;
}

ArrayRef<OperandCopy> WindowRules::getCopies(bool channelsFirst) const {
  static constexpr OperandCopy ways[] = {OperandCopy::Boxes};
  return channelsFirst ? ways : RingRules::getCopies(channelsFirst);
}

/// The taps of a window are together.
PartUnits WindowRules::getUnits(ScheduleAttr schedule,
                                const GemmShape &gemm) const {
  return {RingRules::getUnits(schedule, gemm).blocks, 1};
}

int64_t WindowRules::getSharedBytes(ScheduleAttr schedule,
                                    const GemmShape &gemm) const {
  return getStagedBytes(schedule, gemm.epilogue.resultBytes) + kBarrierBytes +
         getWindowRingBytes(schedule, gemm);
}
