//===- SelectSchedule.h - the schedule of one convolution -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a convolution and a chip. Output: its `conv.schedule`, or an error at it
// that says what is in the way.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_OPERATIONS_SELECTSCHEDULE_H
#define CONV_TRANSFORMS_OPERATIONS_SELECTSCHEDULE_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// The schedule that is there, or else the one that is ranked first, with
/// `keys` in the place of its own, as of the pass conv-select-schedule.
LogicalResult selectSchedule(ConvOpInterface op, const ChipInfo &chip,
                             StringRef keys = "");

/// This schedule, if the chip can run it.
LogicalResult setSchedule(ConvOpInterface op, const ChipInfo &chip,
                          ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_TRANSFORMS_OPERATIONS_SELECTSCHEDULE_H
