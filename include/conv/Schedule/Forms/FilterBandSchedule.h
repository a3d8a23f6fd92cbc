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

/// Why a schedule that multiplies bands cannot compute this forward or dgrad,
/// which whyNoBands() (BandRules.h) lets pass; empty if it can.
std::string whyIllegalFilterBands(const DepthwiseSum &form,
                                  ScheduleAttr schedule, const ChipInfo &chip);

/// Appends the legal ones of such a sum with their time, in no order.
void addFilterBandSchedules(ConvOpInterface op, const DepthwiseSum &form,
                            const ChipInfo &chip,
                            SmallVector<RankedSchedule> &ranked);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_FILTERBANDSCHEDULE_H
