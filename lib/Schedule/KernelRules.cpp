//===- KernelRules.cpp - what most forms have in common -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/KernelRules.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Schedule/Shape/ClusterShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

std::string KernelRules::whyNoBoxes(ConvOpInterface, ScheduleAttr,
                                    const GemmShape &) const {
  return "";
}

ArrayRef<OperandCopy> KernelRules::getCopies(bool channelsFirst) const {
  static constexpr OperandCopy tma[] = {OperandCopy::Tma};
  return channelsFirst ? ArrayRef<OperandCopy>() : tma;
}

convmlir::Result<std::optional<LoadsAhead>>
KernelRules::getLoadsAhead(const LoadingKernel &kernel) const {
  return getLoadsOfCopies(kernel);
}

int64_t KernelRules::countTiles(ScheduleAttr schedule,
                                const GemmShape &gemm) const {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t tiles = 0;
  for (GemmShape::Phase phase : gemm.phases)
    tiles += llvm::alignTo(llvm::divideCeil(phase.m, tile[0]),
                           getClusterM(schedule));
  return tiles *
         llvm::alignTo(llvm::divideCeil(gemm.n, tile[1]),
                       getClusterN(schedule)) *
         gemm.wgrad.resultTaps * gemm.groups;
}

PartUnits KernelRules::getUnits(ScheduleAttr schedule,
                                const GemmShape &gemm) const {
  int64_t taps = gemm.phases.front().taps;
  int64_t blocks = llvm::divideCeil(gemm.channels, schedule.getTile()[2]);
  if (gemm.hasImages())
    return {taps * blocks, 1};
  return {std::max<int64_t>(blocks, 1), taps};
}
