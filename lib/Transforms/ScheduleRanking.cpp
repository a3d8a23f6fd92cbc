//===- ScheduleRanking.cpp - all candidates of an operation ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a convolution. Output: the schedules that selection and tuning choose
// from. Each kind of kernel has its own list and its own model, beside each
// other in SelectSchedule.cpp and HopperSchedule.cpp.
//
//===----------------------------------------------------------------------===//

#include "ScheduleRanking.h"
#include "HopperSchedule.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"

using namespace mlir;
using namespace mlir::conv;

/// What the engine that copies the operands forbids.
static std::string whyNoCopy(ConvOpInterface op, ScheduleAttr schedule) {
  return schedule.getCopy() == CopyKind::Tma ? whyNoTma(op, schedule) : "";
}

std::string conv::whyCannotRun(ConvOpInterface op, ScheduleAttr schedule,
                               const ChipInfo &chip) {
  std::string why =
      whyIllegal(schedule, getGemmShape(op, schedule.getAlgorithm()), chip);
  return why.empty() ? whyNoCopy(op, schedule) : why;
}

SmallVector<RankedSchedule> conv::rankSchedules(ConvOpInterface op,
                                                const ChipInfo &chip,
                                                Algorithm algorithm,
                                                std::string *whyNot) {
  GemmShape gemm = getGemmShape(op, algorithm);
  SmallVector<RankedSchedule> ranked;
  std::string firstReason;
  for (const RankedSchedule &candidate :
       rankHopperSchedules(op.getContext(), gemm, chip, algorithm)) {
    std::string why = whyNoCopy(op, candidate.schedule);
    if (why.empty())
      ranked.push_back(candidate);
    else if (firstReason.empty())
      firstReason = std::move(why);
  }
  if (ranked.empty() && whyNot)
    *whyNot = firstReason;
  llvm::append_range(
      ranked, rankMmaSyncSchedules(op.getContext(), gemm, chip, algorithm));
  return ranked;
}
