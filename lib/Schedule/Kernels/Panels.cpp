//===- Panels.cpp - tiles of panels for wgmma -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "RingRules.h"

#include "conv/Schedule/Ranking/HopperRanking.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
struct Panels final : RingRules {
  ArrayRef<OperandCopy> getCopies(bool channelsFirst) const override {
    static constexpr OperandCopy ways[] = {
        OperandCopy::SkewedBoxes, OperandCopy::Pieces, OperandCopy::Registers};
    return channelsFirst ? ways : RingRules::getCopies(channelsFirst);
  }
  void addCandidates(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) const override {
    addPanels(request, ranked);
  }
};
} // namespace

const KernelRules &conv::getPanels() {
  static const Panels rules;
  return rules;
}
