//===- ContractionSchedule.h - schedules beside convolutions ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_CONTRACTIONSCHEDULE_H
#define CONV_LIB_TRANSFORMS_TILING_CONTRACTIONSCHEDULE_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Which limit the schedule of `op` breaks on this chip, where `op` is no
/// convolution: a contraction of form F2, or a loop over tiles or a kernel,
/// whose extents are those of the tile already. Empty if none.
std::string whyCannotRunLater(Operation *op, ScheduleAttr schedule,
                              const ChipInfo &chip);

/// The same where no target is known: on the one with the widest limits.
std::string whyCannotRunLater(Operation *op, ScheduleAttr schedule);

/// An error at `op` where its schedule cannot run for a reason.
LogicalResult checkSchedule(Operation *op, ScheduleAttr schedule,
                            const std::string &why);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_CONTRACTIONSCHEDULE_H
