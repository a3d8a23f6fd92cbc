//===- ScheduleChoices.h - what selection may choose from -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SCHEDULECHOICES_H
#define CONV_SCHEDULE_SCHEDULECHOICES_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// The schedules that can compute `op` and have the keys of `text`, which may
/// be empty, each once, best first, with the times of those that they come
/// from.
SmallVector<RankedSchedule>
listChoices(ConvOpInterface op, const ChipInfo &chip, llvm::StringRef text);

/// Whether times of the two have the same unit.
bool areComparable(ScheduleAttr a, ScheduleAttr b);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SCHEDULECHOICES_H
