//===- HopperSchedule.h - schedules with TMA and wgmma ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#ifndef CONV_LIB_TRANSFORMS_HOPPERSCHEDULE_H
#define CONV_LIB_TRANSFORMS_HOPPERSCHEDULE_H

#include "conv/Transforms/Schedule.h"

namespace mlir::conv {

/// Shared memory that the barriers of the ring take: tiles begin at the next
/// multiple of as much.
inline constexpr int64_t kBarrierBytes = 1024;

/// What the warpgroups stage of the result's tile at a time.
int64_t getStagedBytes(ScheduleAttr schedule, int64_t elementBytes);

/// Shared memory of a workgroup: the rings, what is staged of the result's
/// tile, barriers.
int64_t getHopperSharedBytes(ScheduleAttr schedule, const GemmShape &gemm);

/// What each of the resident workgroups of a multiprocessor can have.
int64_t getSharedBytesPerWorkgroup(ScheduleAttr schedule, const ChipInfo &chip);

/// Which limit a schedule that names TMA or wgmma breaks; empty if it is legal.
std::string whyIllegalOnHopper(ScheduleAttr schedule, const GemmShape &gemm,
                               const ChipInfo &chip);

/// Why TMA cannot copy the operand tiles of `op`; empty if it can.
std::string whyNoTma(ConvOpInterface op, ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_HOPPERSCHEDULE_H
