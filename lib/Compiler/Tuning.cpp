//===- Tuning.cpp - what a tuner asks the compiler ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Tuning.h"
#include "SourceModuleImpl.h"
#include "TuningProblem.h"
#include "conv/Compiler/Diagnostics.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Pipelines/Pipelines.h"
#include "conv/Transforms/Schedule.h"

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

Result<std::vector<std::string>>
convmlir::candidateSchedules(const Problem &problem, const std::string &target,
                             size_t count) {
  if (count == 0)
    return Error{"count: expected at least 1, got 0"};
  std::optional<conv::ChipInfo> chip = conv::lookupChip(target);
  if (!chip)
    return Error{"unknown target '" + target + "', expected one of " +
                 conv::supportedChips()};
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromProblem(problem);
  if (!source)
    return source.takeError();
  SourceModule::Impl &impl = (*source)->impl();
  PassManager pm(impl.context.get(), mlir::ModuleOp::getOperationName());
  conv::buildConvPreparation(pm);
  conv::DiagnosticCollector diagnostics(impl.context.get());
  if (failed(pm.run(*impl.module)))
    return diagnostics.take("the compiler failed without a message");
  std::vector<std::string> candidates;
  std::string why;
  impl.module->walk([&](ConvOpInterface op) {
    why = conv::whyUnsupported(op, *chip);
    if (why.empty())
      candidates = pick(conv::rankAllSchedules(op, *chip), count);
  });
  if (!why.empty())
    return Error{why};
  if (candidates.empty())
    return Error{"no schedule is legal on " + target};
  return candidates;
}
