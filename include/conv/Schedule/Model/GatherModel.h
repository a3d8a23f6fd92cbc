//===- GatherModel.h - time of transposed tiles -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What it takes to transpose tiles of operands, or operands.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_MODEL_GATHERMODEL_H
#define CONV_SCHEDULE_MODEL_GATHERMODEL_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// What a kernel takes that transposes so many bytes.
double getTranspositionCycles(double bytes);

/// Of `copiedRows` rows of operands that a block copies, those that are
/// gathered.
double getGatheredRows(ScheduleAttr schedule, const GemmShape &gemm,
                       double copiedRows);
/// Cycles of a multiprocessor that a gather of so many bytes takes, beside
/// products that read `readBytes` of shared memory.
double getGatherCycles(ScheduleAttr schedule, const GemmShape &gemm,
                       double bytes, double readBytes);
/// From one block of wgrad to the next where boxes of so many bytes come as
/// they lie and warps transpose them, for one or two blocks at a time.
double getBoxCycles(double bytes, int64_t blocks);
/// What the kernel takes that transposes operands in front of one that does not
/// gather them.
double getOperandTranspositionCycles(ScheduleAttr schedule,
                                     const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_GATHERMODEL_H
