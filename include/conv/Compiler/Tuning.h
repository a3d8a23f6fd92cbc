//===- Tuning.h - what a tuner asks the compiler -------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a function to tune. Output: the problems that records name, and the
// schedules that are worth timing for each. No MLIR header is needed to use it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_TUNING_H
#define CONV_COMPILER_TUNING_H

#include "conv/Chip/Chip.h"
#include "conv/Compiler/SourceModule.h"

#include <optional>
#include <string>
#include <vector>

namespace convmlir {

/// The convolutions of a function as tuning records name them: each with the
/// elementwise operations behind it as far as a problem can say them, each
/// once, in their order.
std::vector<Problem> tuningProblems(const SourceModule &source);

/// Up to `count` schedules of a problem for a target, complete, as --schedule
/// takes them. The first is what the compiler chooses without records; the
/// others follow as the model ranks them, and a quarter is for kernels of the
/// other matrix instruction where a target has two. The error says why the
/// problem has no kernel. `limits` is what is known of the device.
Result<std::vector<std::string>>
candidateSchedules(const Problem &problem, const std::string &target,
                   size_t count, const DeviceLimits &limits = {});

/// A part of a modelled time, as a share of the whole. Parts happen at the same
/// time: they need not add up to 1.
struct TimeTerm {
  std::string name; ///< As docs/ConvRun.md names it.
  double share;
};

/// What one form of kernels (docs/Schedules.md) offers for a problem.
struct FormChoice {
  std::string form;         ///< As the table of forms names it.
  std::string page;         ///< In docs/forms, without the suffix.
  size_t candidates = 0;    ///< Legal schedules that were ranked.
  std::string best = {};    ///< Of these.
  size_t rank = 0;          ///< Of `best` among all candidates, from 1 on.
  std::string whyNone = {}; ///< Where there is no candidate.
  /// Modelled time of `best` over that of the first of all; nothing where the
  /// models of the two have different units.
  std::optional<double> relativeTime = std::nullopt;
  std::vector<TimeTerm> terms = {}; ///< The largest of the time of `best`.
};

/// A schedule that a record or an option asked for, beside the model's choice.
struct TakenChoice {
  /// Of the form: empty where the schedule is none of the problem as written.
  std::string form, schedule;
  size_t rank = 0; ///< From 1 on; 0 where the model does not rank it.
  std::optional<double> relativeTime; ///< As in FormChoice.
  std::vector<TimeTerm> terms;
};

/// Why the compiler chooses what it chooses without records.
struct ChoiceReport {
  std::vector<FormChoice> forms; ///< Best first, those without candidates last.
  std::string whyNoWgmma;        ///< Empty: the first has it, or no chip.
  std::optional<TakenChoice> taken; ///< Where it is not the first form's best.
};

/// `taken` is the schedule that a plan has; empty: the model's. The error says
/// why the problem has no kernel.
Result<ChoiceReport> explainChoice(const Problem &problem,
                                   const std::string &target,
                                   const DeviceLimits &limits = {},
                                   const std::string &taken = "");

/// Whether a schedule, as a record names it, can compute the problem; the error
/// says why it cannot.
Status checkSchedule(const Problem &problem, const std::string &target,
                     const std::string &schedule,
                     const DeviceLimits &limits = {});

} // namespace convmlir

#endif // CONV_COMPILER_TUNING_H
