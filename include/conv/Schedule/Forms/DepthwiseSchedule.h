//===- DepthwiseSchedule.h - schedules without matrices ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_DEPTHWISESCHEDULE_H
#define CONV_SCHEDULE_FORMS_DEPTHWISESCHEDULE_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Why a schedule with algorithm=loops cannot compute `op`; empty if it can.
std::string whyIllegalDepthwise(ConvOpInterface op, ScheduleAttr schedule,
                                const ChipInfo &chip);

/// The legal schedules with algorithm=loops, best first, by the cycles that
/// they take (HopperModel.h). Empty where `op` is no depthwise convolution that
/// has this form (Depthwise.h).
SmallVector<RankedSchedule> rankDepthwiseSchedules(ConvOpInterface op,
                                                   const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_DEPTHWISESCHEDULE_H
