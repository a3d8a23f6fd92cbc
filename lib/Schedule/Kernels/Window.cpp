//===- Window.cpp - taps that share a window of the input -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "WindowRules.h"

#include "conv/Schedule/Forms/Windows.h"
#include "conv/Schedule/Ranking/HopperRanking.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
struct Window final : WindowRules {
  std::string whyIllegalShape(ScheduleAttr schedule,
                              const GemmShape &gemm) const override {
    std::string why = RingRules::whyIllegalShape(schedule, gemm);
    return why.empty() ? whyNoWindow(schedule, gemm) : why;
  }
  void addCandidates(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) const override {
    addWindows(request, ranked);
  }
};
} // namespace

const KernelRules &conv::getWindow() {
  static const Window rules;
  return rules;
}
