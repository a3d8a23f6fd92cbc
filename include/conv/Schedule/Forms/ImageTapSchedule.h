//===- ImageTapSchedule.h - wgrad with images in registers ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules of a wgrad whose x is read as it lies (conv/Geometry/ImageTaps.h):
// `window`, `gather` and `k_major`, with warps along gemm-n, so that channels
// are the rows of `wgmma` and filters its columns. Each warpgroup has 64
// channels of its own, of all taps of a tile, and takes them from shared memory
// into registers. dy is the other operand, K-major.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_IMAGETAPSCHEDULE_H
#define CONV_SCHEDULE_FORMS_IMAGETAPSCHEDULE_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// More sums of a thread leave few registers for all else.
inline constexpr int64_t kManySums = 180;

/// Which limit such a schedule breaks; empty if it is legal.
std::string whyIllegalImageTaps(ScheduleAttr schedule, const GemmShape &gemm,
                                const ChipInfo &chip);

/// Shared memory of a workgroup, of a schedule with blocks of images.
int64_t getImageTapBytes(ScheduleAttr schedule, const GemmShape &gemm);

/// Why TMA cannot copy the boxes of such a schedule, which is legal; empty if
/// it can.
std::string whyNoImageTapBoxes(ConvOpInterface op, ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_IMAGETAPSCHEDULE_H
