//===- KeptOperands.h - operands that a workgroup loads once ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup takes one tile after the other. Where an operand is the same in
// all of its tiles, and all of its blocks have room, it stays in shared memory.
// What legality, the model and candidates count on, and conv-plan-kernels
// writes (`keeps`).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_KEPTOPERANDS_H
#define CONV_SCHEDULE_KEPTOPERANDS_H

#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// The one that could be kept: with sums for taps the filters are the left one.
KeptOperand getKeepable(ScheduleAttr schedule);

/// Why so many blocks of gemm-k have no room to stay; empty if they have it.
/// Beside windows the filter has slots of its own, one for each block; of tiles
/// all blocks are no more than slots, so that they never take more memory.
std::string whyNoRoomToKeep(ScheduleAttr schedule,
                            std::optional<int64_t> blocks);

/// The operand of these GEMMs that a workgroup loads once.
KeptOperand getKeptOperand(ScheduleAttr schedule, const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_KEPTOPERANDS_H
