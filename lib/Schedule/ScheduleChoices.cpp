//===- ScheduleChoices.cpp - what selection may choose from ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a convolution and the keys that a user names. Output: the ranked
// schedules with these keys in the place of their own.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/ScheduleChoices.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::conv;

static SmallVector<RankedSchedule> rank(ConvOpInterface op,
                                        const ChipInfo &chip, StringRef text) {
  if (text.empty())
    return rankAllSchedules(op, chip);
  return rankSchedules(
      op, chip, getNamedAlgorithm(text, Algorithm::ImplicitGemm),
      /*whyNot=*/nullptr, getNamedMerge(text), getNamedFold(text));
}

SmallVector<RankedSchedule>
conv::listChoices(ConvOpInterface op, const ChipInfo &chip, StringRef text) {
  // What is wrong with the keys beside another tile is no news: the choice goes
  // on without it.
  ScopedDiagnosticHandler ignore(op->getContext(),
                                 [](Diagnostic &) { return success(); });
  SmallVector<RankedSchedule> choices;
  llvm::DenseSet<ScheduleAttr> seen;
  for (const RankedSchedule &ranked : rank(op, chip, text)) {
    FailureOr<ScheduleAttr> choice =
        parseSchedule(text, ranked.schedule, [&] { return op->emitError(); });
    if (succeeded(choice) && seen.insert(*choice).second &&
        whyCannotRun(op, *choice, chip).empty())
      choices.push_back({*choice, ranked.time});
  }
  return choices;
}

/// Loops have their own; kernels with TMA are modelled in cycles, those with
/// cp.async in multiply-adds.
bool conv::areComparable(ScheduleAttr a, ScheduleAttr b) {
  return a.getCopy() == b.getCopy() &&
         (a.getAlgorithm() == Algorithm::Loops) ==
             (b.getAlgorithm() == Algorithm::Loops);
}
