//===- FilterBandSchedule.h - images in bands ----------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_FILTERBANDSCHEDULE_H
#define CONV_SCHEDULE_FORMS_FILTERBANDSCHEDULE_H

#include "conv/Dialect/Conv/IR/Depthwise.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Why a schedule that multiplies bands cannot compute a forward or dgrad, which
/// is this sum; empty if it can.
std::string whyIllegalFilterBands(ConvOpInterface op, const DepthwiseSum &form,
                                  ScheduleAttr schedule, const ChipInfo &chip);

/// The same of the op of a function whose schedule somebody may have written.
std::string whyIllegalFilterBands(DepthwiseOp op, const ChipInfo &chip);

/// Appends the legal ones with their time, in no order.
void addFilterBandSchedules(ConvOpInterface op, const DepthwiseSum &form,
                            const ChipInfo &chip,
                            SmallVector<RankedSchedule> &ranked);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_FILTERBANDSCHEDULE_H
