//===- Swapped.cpp - filters as the rows of wgmma -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "WindowRules.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/Ranking/SwappedRanking.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Over what all kernels with a ring have, or those with windows.
template <typename Base> struct SwappedRules : Base {
  std::string whyIllegalShape(ScheduleAttr schedule,
                              const GemmShape &gemm) const final {
    return whyIllegalSwapped(schedule, gemm);
  }
  /// That of whole images, which whyIllegalSwapped() checks.
  std::string whyIllegalStaging(ScheduleAttr) const final { return ""; }
  std::string whyNoBoxes(ConvOpInterface op, ScheduleAttr schedule,
                         const GemmShape &) const final {
    return whyNoSwappedStore(op, schedule);
  }
};

struct Swapped final : SwappedRules<RingRules> {
  ArrayRef<OperandCopy> getCopies(bool channelsFirst) const override {
    static constexpr OperandCopy ways[] = {OperandCopy::Images};
    return channelsFirst ? ways : RingRules::getCopies(channelsFirst);
  }
  void addCandidates(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) const override {
    addSwappedImages(request, ranked);
    addSwappedTiles(request, ranked);
  }
};

struct SwappedWindow final : SwappedRules<WindowRules> {
  void addCandidates(const CandidateRequest &request,
                     SmallVectorImpl<RankedSchedule> &ranked) const override {
    addSwappedWindows(request, ranked);
  }
};
} // namespace

const KernelRules &conv::getSwapped() {
  static const Swapped rules;
  return rules;
}

const KernelRules &conv::getSwappedWindow() {
  static const SwappedWindow rules;
  return rules;
}
