//===- MmaSyncModel.h - time of kernels with mma.sync -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of kernels with mma.sync: one takes as long as the
// multiprocessor with the most tiles. A tile costs its work, padding included,
// at the rate that its shape reaches: a larger tile reads its operands less
// often, and more resident warps hide more latency. Times are relative, so no
// clock enters.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_MODEL_MMASYNCMODEL_H
#define CONV_SCHEDULE_MODEL_MMASYNCMODEL_H

#include "conv/Schedule/Model/TimeParts.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Workgroups of this schedule that a multiprocessor holds: by shared memory,
/// threads and registers (of 64 K, two workgroups of 128 threads at 255).
int64_t getMmaSyncOccupancy(ScheduleAttr schedule, const GemmShape &gemm,
                            const ChipInfo &chip);

/// Tiles of the first phase that are as much work as all tiles.
int64_t countMmaSyncTiles(ScheduleAttr schedule, const GemmShape &gemm);

/// Relative time of the busiest multiprocessor.
double getMmaSyncTime(ScheduleAttr schedule, const GemmShape &gemm,
                      const ChipInfo &chip, TimeParts *parts = nullptr);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_MMASYNCMODEL_H
