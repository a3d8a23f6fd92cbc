//===- WgradWindows.h - schedules of wgrad with windows ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule with `window` says of wgrad (conv/Geometry/WindowBlock.h):
//
//   tile    64 rows (k) x 64 channels of each tap x positions of a block
//   warps   4 x the warpgroups among which the tile's taps are divided
//   stages  slots of a ring, each with the lines of dy and of one window
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_WGRADWINDOWS_H
#define CONV_SCHEDULE_FORMS_WGRADWINDOWS_H

#include "conv/Schedule/Forms/WgradWindowShape.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Which limit such a schedule breaks; empty if it is legal.
std::string whyIllegalWgradWindow(ScheduleAttr schedule, const GemmShape &gemm,
                                  const ChipInfo &chip);

/// Shared memory of a workgroup.
int64_t getWgradWindowBytes(const WgradWindow &window, ScheduleAttr schedule,
                            const GemmShape &gemm);

/// Why TMA cannot copy the boxes of such a schedule, which is legal; empty if
/// it can.
std::string whyNoWgradBoxes(ConvOpInterface op, ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_WGRADWINDOWS_H
