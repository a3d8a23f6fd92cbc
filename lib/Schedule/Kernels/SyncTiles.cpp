//===- SyncTiles.cpp - tiles that come through registers ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A baseline to compare with: what `Tiles` is, without `cp.async`. It has no
// candidates, since a copy that waits is never faster; a user names it.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
struct SyncTiles final : KernelRules {
  std::string whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                         const ChipInfo &chip) const override {
    return getTiles().whyIllegal(schedule, gemm, chip);
  }
  ArrayRef<OperandCopy> getCopies(bool) const override {
    static constexpr OperandCopy ways[] = {OperandCopy::Registers};
    return ways;
  }
  int64_t getSharedBytes(ScheduleAttr schedule,
                         const GemmShape &gemm) const override {
    return getTiles().getSharedBytes(schedule, gemm);
  }
  double getTime(ScheduleAttr schedule, const GemmShape &gemm,
                 const ChipInfo &chip, TimeParts *parts) const override {
    return getTiles().getTime(schedule, gemm, chip, parts);
  }
  void addCandidates(const CandidateRequest &,
                     SmallVectorImpl<RankedSchedule> &) const override {}
};
} // namespace

const KernelRules &conv::getSyncTiles() {
  static const SyncTiles rules;
  return rules;
}
