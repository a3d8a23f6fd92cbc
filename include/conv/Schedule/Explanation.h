//===- Explanation.h - why a schedule was chosen ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: an operation and a chip. Output: what each form of kernels offers for
// it, and why a form offers nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_EXPLANATION_H
#define CONV_SCHEDULE_EXPLANATION_H

#include "conv/Dialect/Conv/IR/KernelForm.h"
#include "conv/Schedule/Model/TimeParts.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// The form of the kernel that a schedule makes of `op`.
KernelForm getForm(ConvOpInterface op, ScheduleAttr schedule);

/// A part of a modelled time, as a share of the whole.
struct TimeShare {
  TimePart part;
  double share;
};

/// A schedule that was taken for another reason than the model's.
struct TakenSchedule {
  RankedSchedule schedule;
  size_t rank = 0; ///< From 1 on; 0 where the model does not rank it.
  SmallVector<TimeShare> largest;
};

struct FormExplanation {
  KernelForm form;
  size_t candidates = 0; ///< Legal ones, with all merges and folds.
  std::optional<RankedSchedule> best = std::nullopt;
  /// Its place among all candidates, from 1 on.
  size_t rank = 0;
  std::string whyNone = {}; ///< Where there is no candidate.
  /// Of the time of `best`.
  SmallVector<TimeShare> largest = {};
};

struct Explanation {
  /// Those with candidates, best first, and then the others as in the table.
  SmallVector<FormExplanation> forms;
  /// Why the best schedule has no wgmma where the chip has; or empty.
  std::string whyNoWgmma;
};

Explanation explainSchedules(ConvOpInterface op, const ChipInfo &chip);

/// Where the model sees a legal schedule of `op`.
TakenSchedule explainTaken(ConvOpInterface op, ScheduleAttr schedule,
                           const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_EXPLANATION_H
