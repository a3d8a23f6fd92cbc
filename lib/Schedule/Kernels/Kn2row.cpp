//===- Kn2row.cpp - taps with sums of their own ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "RingRules.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Schedule/Forms/Kn2rowSchedule.h"
#include "conv/Schedule/Ranking/HopperRanking.h"
#include "conv/Schedule/Resources.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
struct Kn2rowRules final : RingRules {
  std::string whyIllegalShape(ScheduleAttr schedule,
                              const GemmShape &gemm) const override {
    std::string why = whyIllegalKn2row(schedule, gemm);
    return why.empty() ? RingRules::whyIllegalShape(schedule, gemm) : why;
  }
  std::string whyNoBoxes(ConvOpInterface op, ScheduleAttr schedule,
                         const GemmShape &gemm) const override {
    return whyNoKn2rowBoxes(op, schedule, gemm);
  }
  bool copiesTiles() const override { return false; }
  int64_t getSharedBytes(ScheduleAttr schedule,
                         const GemmShape &gemm) const override {
    return getStagedBytes(schedule, gemm.epilogue.resultBytes) + kBarrierBytes +
           getKn2rowRingBytes(schedule, gemm);
  }
  void addCandidates(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) const override {
    addTapSums(request, ranked);
  }
};
} // namespace

const KernelRules &conv::getKn2row() {
  static const Kn2rowRules rules;
  return rules;
}
