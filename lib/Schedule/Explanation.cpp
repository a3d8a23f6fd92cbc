//===- Explanation.cpp - why a schedule was chosen ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Explanation.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Depthwise.h"
#include "conv/Schedule/KernelRules.h"
#include "conv/Schedule/Model/DepthwiseModel.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::conv;

KernelForm conv::getForm(ConvOpInterface op, ScheduleAttr schedule) {
  if (schedule.getAlgorithm() == Algorithm::Loops)
    return getKernelForm(schedule);
  return getKernelForm(schedule, getGemmShape(op, schedule).wgrad.resultTaps);
}

/// What is wrong with the example of a form, which is for every operation that
/// has one.
static std::string whyNone(ConvOpInterface op, const ChipInfo &chip,
                           const KernelFormInfo &info) {
  std::string why;
  ScopedDiagnosticHandler take(op->getContext(), [&](Diagnostic &diagnostic) {
    why = diagnostic.str();
    return success();
  });
  ScheduleAttr base = ScheduleAttr::get(
      op->getContext(), {.tile = {64, 64, 64}, .warps = {4, 1}, .stages = 2});
  FailureOr<ScheduleAttr> asked =
      parseSchedule(info.example, base, [&] { return op->emitError(); });
  if (failed(asked))
    return why;
  // The same keys make another form of wgrad.
  if (!isOfLoops(info.form) &&
      getKernelForm(*asked, getGemmShape(op).wgrad.resultTaps) != info.form)
    return ("this operation has no kernel with " + info.written).str();
  why = whyCannotRun(op, *asked, chip);
  return why.empty() ? "no tile of this form was ranked" : why;
}

/// The modelled time of the kernel alone, and its parts.
static double getKernelTime(ConvOpInterface op, ScheduleAttr schedule,
                            const ChipInfo &chip, TimeParts &parts) {
  if (schedule.getAlgorithm() == Algorithm::Loops)
    return getDepthwiseCycles(op, *getDepthwiseSum(op), schedule, chip, &parts);
  GemmShape gemm = getGemmShape(op, schedule);
  return getKernelRules(schedule, gemm).getTime(schedule, gemm, chip, &parts);
}

/// The largest of what the time of a candidate consists of. Ranking adds to the
/// time of a kernel what runs beside it, and times of loops have the unit of
/// the schedules that they are ranked with.
static SmallVector<TimeShare> getLargestParts(ConvOpInterface op,
                                              const RankedSchedule &candidate,
                                              const ChipInfo &chip) {
  constexpr size_t most = 3;
  TimeParts parts;
  double kernel = getKernelTime(op, candidate.schedule, chip, parts);
  double whole = kernel;
  if (candidate.schedule.getAlgorithm() != Algorithm::Loops &&
      candidate.time > kernel) {
    whole = candidate.time;
    parts.add(TimePart::Beside, whole - kernel);
  }
  SmallVector<TimeShare> largest;
  for (auto [part, time] : parts.getLargest())
    if (largest.size() < most)
      largest.push_back({part, time / whole});
  return largest;
}

TakenSchedule conv::explainTaken(ConvOpInterface op, ScheduleAttr schedule,
                                 const ChipInfo &chip) {
  TakenSchedule taken;
  SmallVector<RankedSchedule> ranked = rankAllSchedules(op, chip);
  const auto *known =
      llvm::find_if(ranked, [&](const RankedSchedule &candidate) {
        return candidate.schedule == schedule;
      });
  if (known != ranked.end()) {
    taken.schedule = *known;
    taken.rank = size_t(known - ranked.begin()) + 1;
  } else {
    TimeParts parts;
    taken.schedule = {schedule, getKernelTime(op, schedule, chip, parts)};
  }
  taken.largest = getLargestParts(op, taken.schedule, chip);
  return taken;
}

Explanation conv::explainSchedules(ConvOpInterface op, const ChipInfo &chip) {
  Explanation explanation;
  SmallVector<RankedSchedule> ranked =
      rankAllSchedules(op, chip, &explanation.whyNoWgmma);
  for (auto [place, candidate] : llvm::enumerate(ranked)) {
    KernelForm form = getForm(op, candidate.schedule);
    auto known = llvm::find_if(explanation.forms, [&](const auto &known) {
      return known.form == form;
    });
    if (known == explanation.forms.end()) {
      explanation.forms.push_back({form, 0, candidate, place + 1, "",
                                   getLargestParts(op, candidate, chip)});
      known = std::prev(explanation.forms.end());
    }
    ++known->candidates;
  }
  if (ranked.empty())
    return explanation;
  for (const KernelFormInfo &info : getKernelForms())
    if (llvm::none_of(explanation.forms, [&](const FormExplanation &known) {
          return known.form == info.form;
        }))
      explanation.forms.push_back(
          {info.form, 0, std::nullopt, 0, whyNone(op, chip, info)});
  return explanation;
}
