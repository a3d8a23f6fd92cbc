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

/// Shared memory that barriers of the ring take, and what tiles lose by
/// beginning at multiples of 1024 bytes.
inline constexpr int64_t kOtherSharedBytes = 2048;

/// Shared memory of a workgroup: the rings, the result's tile, barriers.
int64_t getHopperSharedBytes(ScheduleAttr schedule, const GemmShape &gemm);

/// Which limit a schedule that names TMA or wgmma breaks; empty if it is legal.
std::string whyIllegalOnHopper(ScheduleAttr schedule, const GemmShape &gemm,
                               const ChipInfo &chip);

/// Why TMA cannot copy the operand tiles of `op`; empty if it can.
std::string whyNoTma(ConvOpInterface op, ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_HOPPERSCHEDULE_H
