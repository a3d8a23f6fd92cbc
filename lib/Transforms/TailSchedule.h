//===- TailSchedule.h - schedules with a tail -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TAILSCHEDULE_H
#define CONV_LIB_TRANSFORMS_TAILSCHEDULE_H

#include "EvenParts.h"
#include "conv/Transforms/Schedule.h"

namespace mlir::conv {

/// Tiles of a kernel with TMA and wgmma, without parts; those that a cluster
/// makes twice are counted twice. The schedule's shape must be legal.
int64_t countTiles(ScheduleAttr schedule, const GemmShape &gemm);

/// The parts that gemm-k of a tile in the last round can have: a block of
/// channels each (wgrad: of positions), an image, or a tap.
int64_t getMostPartsOfTail(ScheduleAttr schedule, const GemmShape &gemm);

/// Why the tiles of the last round cannot be made in parts, their number
/// aside (whyTooManyParts); empty if the schedule has no tail, or they can.
std::string whyNoTail(ScheduleAttr schedule, const GemmShape &gemm);

/// The parts with which what is left after whole rounds takes least, where they
/// are a round or less, and as few as are no longer; nothing where less than
/// two are. gemm-k of a schedule with one part has `blocks`, each of `taps`
/// that could be in parts of their own.
std::optional<int64_t> chooseTail(ScheduleAttr schedule, const GemmShape &gemm,
                                  int64_t blocks, int64_t taps);
/// The same of a schedule without a window of wgrad.
std::optional<int64_t> chooseTail(ScheduleAttr schedule, const GemmShape &gemm);

/// How the tiles of the last round, or all where there is no other, are divided
/// into even parts.
EvenParts getEvenParts(ScheduleAttr schedule, const GemmShape &gemm);

/// Cycles of the kernel that adds the parts, as in HopperModel.h; 0 without a
/// tail.
double getTailSumCycles(ScheduleAttr schedule, const GemmShape &gemm,
                        const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TAILSCHEDULE_H
