//===- Tuning.cpp - what a tuner asks the compiler ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Tuning.h"
#include "Import/SourceModuleImpl.h"
#include "TunedSchedules.h"
#include "TuningProblem.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"
#include "conv/Pipelines/Pipelines.h"
#include "conv/Schedule/Explanation.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/ScheduleChoices.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace convmlir;
using mlir::conv::ConvOpInterface;
using mlir::conv::RankedSchedule;

std::vector<Problem> convmlir::tuningProblems(const SourceModule &source) {
  std::vector<Problem> problems;
  source.impl().entry.walk([&](ConvOpInterface op) {
    Result<Problem> problem = conv::getTuningProblem(op);
    if (problem && !llvm::is_contained(problems, *problem))
      problems.push_back(std::move(*problem));
  });
  return problems;
}

/// How much slower than the best of its kind the model may call a candidate
/// that is timed all the same.
static constexpr double kWorthTiming = 2.5;

/// The first `count`, of which a quarter is for the second kind of kernels.
static std::vector<std::string> pick(ArrayRef<RankedSchedule> ranked,
                                     size_t count) {
  std::vector<std::string> first, second;
  double bestOfSecond = 0;
  for (const RankedSchedule &candidate : ranked) {
    bool isFirst =
        candidate.schedule.getMma() == ranked.front().schedule.getMma();
    if (!isFirst && second.empty())
      bestOfSecond = candidate.time;
    double best = isFirst ? ranked.front().time : bestOfSecond;
    if (candidate.time <= best * kWorthTiming)
      (isFirst ? first : second).push_back(toString(candidate.schedule));
  }
  size_t rest = std::min(second.size(), count / 4);
  first.resize(std::min(first.size(), count - rest));
  rest = std::min(second.size(), count - first.size());
  first.insert(first.end(), second.begin(), second.begin() + rest);
  return first;
}

/// Calls `visit` with the operation that schedules of the problem are for; the
/// error is what it returns, unless that is empty.
static Status visitOperation(
    const Problem &problem, const std::string &target,
    const DeviceLimits &limits,
    function_ref<std::string(ConvOpInterface, const conv::ChipInfo &)> visit) {
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromProblem(problem);
  if (!source)
    return source.takeError();
  SourceModule::Impl &impl = (*source)->impl();
  PassManager pm(impl.context.get(), mlir::ModuleOp::getOperationName());
  conv::buildConvPreparation(pm);
  conv::DiagnosticCollector diagnostics(impl.context.get());
  if (failed(conv::setChip(*impl.module, target, limits)) ||
      failed(pm.run(*impl.module)))
    return diagnostics.take("the compiler failed without a message");
  conv::ChipInfo chip = conv::getChip(*impl.module);
  std::string why;
  impl.module->walk([&](ConvOpInterface op) {
    why = conv::whyUnsupported(op, chip);
    if (why.empty())
      why = visit(op, chip);
  });
  return why.empty() ? Status() : Error{why};
}

Result<std::vector<std::string>>
convmlir::candidateSchedules(const Problem &problem, const std::string &target,
                             size_t count, const DeviceLimits &limits) {
  if (count == 0)
    return Error{"count: expected at least 1, got 0"};
  std::vector<std::string> candidates;
  Status status = visitOperation(
      problem, target, limits,
      [&](ConvOpInterface op, const conv::ChipInfo &chip) {
        candidates = pick(conv::rankAllSchedules(op, chip), count);
        return candidates.empty() ? "no schedule is legal on " + target : "";
      });
  if (!status)
    return status.takeError();
  return candidates;
}

static std::vector<TimeTerm> describeTerms(ArrayRef<conv::TimeShare> shares) {
  std::vector<TimeTerm> terms;
  for (const conv::TimeShare &share : shares)
    terms.push_back({conv::getName(share.part).str(), share.share});
  return terms;
}

static FormChoice describeForm(const conv::FormExplanation &form,
                               const conv::RankedSchedule &first) {
  const conv::KernelFormInfo &info = conv::getInfo(form.form);
  FormChoice choice{info.name.str(), info.page.str(), form.candidates};
  choice.whyNone = form.whyNone;
  if (!form.best)
    return choice;
  choice.best = conv::toString(form.best->schedule);
  choice.rank = form.rank;
  choice.terms = describeTerms(form.largest);
  if (conv::areComparable(form.best->schedule, first.schedule))
    choice.relativeTime = form.best->time / first.time;
  return choice;
}

/// Of the text of a plan's schedule. One that is not of the problem's operation
/// as it is written has a text only.
static TakenChoice describeTaken(const std::string &text, ConvOpInterface op,
                                 const RankedSchedule &first,
                                 const conv::ChipInfo &chip) {
  std::string why;
  conv::ScheduleAttr schedule = conv::readTunedSchedule(op, text, chip, why);
  if (!schedule)
    return {"", text, 0, std::nullopt, {}};
  conv::TakenSchedule taken = conv::explainTaken(op, schedule, chip);
  TakenChoice choice{conv::getInfo(conv::getForm(op, schedule)).name.str(),
                     text, taken.rank, std::nullopt,
                     describeTerms(taken.largest)};
  if (conv::areComparable(schedule, first.schedule))
    choice.relativeTime = taken.schedule.time / first.time;
  return choice;
}

Result<ChoiceReport> convmlir::explainChoice(const Problem &problem,
                                             const std::string &target,
                                             const DeviceLimits &limits,
                                             const std::string &taken) {
  ChoiceReport report;
  Status status = visitOperation(
      problem, target, limits,
      [&](ConvOpInterface op, const conv::ChipInfo &chip) -> std::string {
        conv::Explanation explanation = conv::explainSchedules(op, chip);
        if (explanation.forms.empty())
          return "no schedule is legal on " + target;
        report.whyNoWgmma = explanation.whyNoWgmma;
        for (const conv::FormExplanation &form : explanation.forms)
          report.forms.push_back(
              describeForm(form, *explanation.forms.front().best));
        if (!taken.empty() && taken != report.forms.front().best)
          report.taken =
              describeTaken(taken, op, *explanation.forms.front().best, chip);
        return "";
      });
  if (!status)
    return status.takeError();
  return report;
}

Status convmlir::checkSchedule(const Problem &problem,
                               const std::string &target,
                               const std::string &schedule,
                               const DeviceLimits &limits) {
  return visitOperation(problem, target, limits,
                        [&](ConvOpInterface op, const conv::ChipInfo &chip) {
                          std::string why;
                          if (conv::readTunedSchedule(op, schedule, chip, why))
                            return std::string();
                          return "schedule '" + schedule +
                                 "' cannot run: " + why;
                        });
}
