//===- ImageTaps.cpp - images in registers --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "TapTileRules.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Schedule/Forms/ImageTapSchedule.h"
#include "conv/Schedule/Forms/ImageTapShape.h"
#include "conv/Schedule/Model/ImageTapModel.h"
#include "conv/Schedule/Ranking/WgradRanking.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
struct ImageTapRules final : TapTileRules {
  std::string whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip) const override {
    return whyIllegalImageTaps(schedule, gemm, chip);
  }
  std::string whyNoBoxes(ConvOpInterface op, ScheduleAttr schedule,
                         const GemmShape &) const override {
    return whyNoImageTapBoxes(op, schedule);
  }
  /// Images are copied as they lie, too.
  ArrayRef<OperandCopy> getCopies(bool) const override {
    return TapTileRules::getCopies(/*channelsFirst=*/false);
  }
  PartUnits getUnits(ScheduleAttr schedule,
                     const GemmShape &gemm) const override {
    return {countImageTapBlocks(schedule, gemm), 1};
  }
  int64_t getSharedBytes(ScheduleAttr schedule,
                         const GemmShape &gemm) const override {
    return getImageTapBytes(schedule, gemm);
  }
  double getTime(ScheduleAttr schedule, const GemmShape &gemm,
                 const ChipInfo &chip, TimeParts *parts) const override {
    return getImageTapCycles(schedule, gemm, chip, parts);
  }
  void addCandidates(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) const override {
    addImageTaps(request, ranked);
  }
};
} // namespace

const KernelRules &conv::getImageTaps() {
  static const ImageTapRules rules;
  return rules;
}
