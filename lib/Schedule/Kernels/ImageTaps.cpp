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

#include "llvm/Support/FormatVariadic.h"

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
  convmlir::Result<std::optional<LoadsAhead>>
  getLoadsAhead(const LoadingKernel &kernel) const override;
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

/// Steps whose words the consumers read before a step's products begin, its own
/// among them. Where many sums leave few registers, words that taps do not
/// share would be too many: `ptxas` then lets products wait for each other
/// (C7512).
convmlir::Result<std::optional<LoadsAhead>>
ImageTapRules::getLoadsAhead(const LoadingKernel &kernel) const {
  Im2colOp dy = kernel.left, x = kernel.right;
  ArrayRef<int64_t> shape = x.getMatrixType().getShape();
  auto block = getImageTaps(x.getView().getMatrixView(x.getTensorShape()),
                            shape[1], shape[0]);
  if (!block)
    return block.takeError();
  constexpr int64_t step = convmlir::ImageTaps::kStep;
  int64_t steps = shape[0] / step;
  int64_t filters = dy.getMatrixType().getDimSize(0);
  bool areMany = block->numTaps() * filters / 2 > kManySums;
  return std::optional(LoadsAhead{
      std::min<int64_t>(areMany && block->columnStep > 1 ? 1 : 2, steps), 1,
      steps,
      llvm::formatv("a block has 1 to {0} steps of {1} positions", steps,
                    step)});
}

const KernelRules &conv::getImageTaps() {
  static const ImageTapRules rules;
  return rules;
}
