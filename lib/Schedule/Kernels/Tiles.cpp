//===- Tiles.cpp - tiles that warps copy and multiply ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "conv/Schedule/Model/MmaSyncModel.h"
#include "conv/Schedule/Ranking/MmaSyncRanking.h"
#include "conv/Schedule/TileLegality.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

namespace {
struct Tiles final : KernelRules {
  std::string whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip) const override {
    if (std::string why = whyIllegalTile(schedule, gemm, chip); !why.empty())
      return why;
    if (schedule.getAlgorithm() == Algorithm::Im2col &&
        gemm.phases.size() > 1 && schedule.getSplit() > 1)
      return formatv("explicit im2col has a kernel for each of {0} stride "
                     "phases, and split-k is for one kernel of a whole result",
                     gemm.phases.size());
    return whyTooManyParts(schedule, gemm);
  }
  ArrayRef<OperandCopy> getCopies(bool) const override {
    static constexpr OperandCopy ways[] = {OperandCopy::CpAsync,
                                           OperandCopy::Registers};
    return ways;
  }
  int64_t getSharedBytes(ScheduleAttr schedule,
                         const GemmShape &gemm) const override {
    return getTileBytes(schedule, gemm);
  }
  double getTime(ScheduleAttr schedule, const GemmShape &gemm,
                 const ChipInfo &chip, TimeParts *parts) const override {
    return getMmaSyncTime(schedule, gemm, chip, parts);
  }
  void addCandidates(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) const override {
    addMmaSyncTiles(request, ranked);
  }
};
} // namespace

const KernelRules &conv::getTiles() {
  static const Tiles rules;
  return rules;
}
