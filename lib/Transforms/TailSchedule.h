//===- TailSchedule.h - schedules with a tail -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TAILSCHEDULE_H
#define CONV_LIB_TRANSFORMS_TAILSCHEDULE_H

#include "conv/Transforms/Schedule.h"

namespace mlir::conv {

/// Tiles of a kernel with TMA and wgmma, without parts; those that a cluster
/// makes twice are counted twice. The schedule's shape must be legal.
int64_t countTiles(ScheduleAttr schedule, const GemmShape &gemm);

/// Why the tiles of the last round cannot be made in parts, those of gemm-k
/// aside (whyTooManyParts); empty if the schedule has no tail, or they can.
std::string whyNoTail(ScheduleAttr schedule, const GemmShape &gemm);

/// Parts that would make one round of what is left after whole rounds, where
/// that is a small part of a round; nothing where it is not. gemm-k has
/// `blocks` blocks, and the schedule one part.
std::optional<int64_t> chooseTail(ScheduleAttr schedule, const GemmShape &gemm,
                                  int64_t blocks);

/// Cycles of the kernel that adds the parts, as in HopperModel.h: of `tiles`
/// tiles, each with so many parts.
double getTailSumCycles(ScheduleAttr schedule, int64_t tiles,
                        const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TAILSCHEDULE_H
