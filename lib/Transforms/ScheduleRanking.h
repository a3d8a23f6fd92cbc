//===- ScheduleRanking.h - candidates of each kind of kernel -- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#ifndef CONV_LIB_TRANSFORMS_SCHEDULERANKING_H
#define CONV_LIB_TRANSFORMS_SCHEDULERANKING_H

#include "conv/Transforms/Schedule.h"

namespace mlir::conv {

/// The order of ranked schedules; equal ones stay in the order of their lists.
inline bool isFaster(const RankedSchedule &a, const RankedSchedule &b) {
  return a.time < b.time;
}

/// The legal candidates with mma.sync (f32: fma) and cp.async, best first.
SmallVector<RankedSchedule> rankMmaSyncSchedules(MLIRContext *context,
                                                 const GemmShape &gemm,
                                                 const ChipInfo &chip,
                                                 Algorithm algorithm);

/// The candidates with wgmma and TMA that are legal for operands that TMA can
/// copy, best first.
SmallVector<RankedSchedule> rankHopperSchedules(MLIRContext *context,
                                                const GemmShape &gemm,
                                                const ChipInfo &chip,
                                                Algorithm algorithm);

/// With TMA and mma.sync. The time is in the unit of rankHopperSchedules().
SmallVector<RankedSchedule> rankProducerSchedules(MLIRContext *context,
                                                  const GemmShape &gemm,
                                                  const ChipInfo &chip,
                                                  Algorithm algorithm);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SCHEDULERANKING_H
