//===- RankedSchedule.h - the order of schedules ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of candidates, each with its modelled time.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_RANKING_RANKEDSCHEDULE_H
#define CONV_SCHEDULE_RANKING_RANKEDSCHEDULE_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// The order of ranked schedules; equal ones stay in the order of their lists.
inline bool isFaster(const RankedSchedule &a, const RankedSchedule &b) {
  return a.time < b.time;
}

} // namespace mlir::conv

#endif // CONV_SCHEDULE_RANKING_RANKEDSCHEDULE_H
