//===- WgradWindow.cpp - taps of dw that share a window of x --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "TapTileRules.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Schedule/Forms/GatheredWgradWindow.h"
#include "conv/Schedule/Forms/WgradWindows.h"
#include "conv/Schedule/Model/WgradWindowModel.h"
#include "conv/Schedule/Ranking/WgradRanking.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
struct WgradWindowRules final : TapTileRules {
  std::string whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip) const override {
    return whyIllegalWgradWindow(schedule, gemm, chip);
  }
  std::string whyNoBoxes(ConvOpInterface op, ScheduleAttr schedule,
                         const GemmShape &) const override {
    return whyNoWgradBoxes(op, schedule);
  }
  ArrayRef<OperandCopy> getCopies(bool channelsFirst) const override {
    static constexpr OperandCopy ways[] = {OperandCopy::Boxes,
                                           OperandCopy::Registers};
    return channelsFirst ? ways : TapTileRules::getCopies(channelsFirst);
  }
  PartUnits getUnits(ScheduleAttr schedule,
                     const GemmShape &gemm) const override {
    return {getWgradWindow(schedule, gemm)->getBlocks(), 1};
  }
  int64_t getSharedBytes(ScheduleAttr schedule,
                         const GemmShape &gemm) const override {
    return getWgradWindowBytes(*getWgradWindow(schedule, gemm), schedule, gemm);
  }
  double getTime(ScheduleAttr schedule, const GemmShape &gemm,
                 const ChipInfo &chip, TimeParts *parts) const override {
    return getWgradWindowCycles(schedule, gemm, chip, parts);
  }
  void addCandidates(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) const override {
    addWgradWindows(request, ranked);
  }
};
} // namespace

const KernelRules &conv::getWgradWindow() {
  static const WgradWindowRules rules;
  return rules;
}
