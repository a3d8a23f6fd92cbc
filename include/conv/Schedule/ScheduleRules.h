//===- ScheduleRules.h - which schedules can compute an operation -*- C++ -*-=//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: an operation, a chip, and schedules, one after the other. Output: why
// each cannot run.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SCHEDULERULES_H
#define CONV_SCHEDULE_SCHEDULERULES_H

#include "conv/Schedule/OperandForms.h"

namespace mlir::conv {

class ScheduleRules {
public:
  ScheduleRules(ConvOpInterface op, const ChipInfo &chip)
      : op(op), chip(chip), forms(op) {}

  /// The limits of whyIllegal(), and those of the engine that copies the
  /// operands; empty if there is none.
  std::string whyCannotRun(ScheduleAttr schedule);
  /// Whether that engine, TMA, is all that stands in the way.
  bool lacksCopy(ScheduleAttr schedule);
  /// What the engine forbids of a schedule that is legal otherwise.
  std::string whyNoCopy(ScheduleAttr schedule);

private:
  std::string whyNoKernel(ScheduleAttr schedule);

  ConvOpInterface op;
  ChipInfo chip;
  OperandForms forms;
};

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SCHEDULERULES_H
