//===- TailSchedule.h - schedules with a tail -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_TAILSCHEDULE_H
#define CONV_SCHEDULE_FORMS_TAILSCHEDULE_H

#include "conv/Schedule/Schedule.h"

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

/// Schedules that are this one, which has one part, with a tail. One has the
/// number of parts with which what is left after whole rounds takes least,
/// where they are a round or less, and as few as are no longer; the other one
/// is even. None where the tail is not possible; what else is legal is not
/// asked.
SmallVector<ScheduleAttr, 2> addTails(ScheduleAttr schedule,
                                      const GemmShape &gemm);

/// Cycles of the tiles of the last round, or of all where there is no other, in
/// even parts, by those of a block of gemm-k and of what comes behind a part.
double getEvenTailCycles(ScheduleAttr schedule, const GemmShape &gemm,
                         double block, double end);

/// Cycles of all tiles, which have so many blocks of gemm-k and which
/// workgroups take in turn, and of the tail: by those of a block, of what comes
/// behind a tile (`end`), and behind a part of the tail.
double getTileCycles(ScheduleAttr schedule, const GemmShape &gemm,
                     const ChipInfo &chip, int64_t blocks, double block,
                     double end, double partEnd);

/// Bytes of operands that fillers of an even tail read from memory once more.
double getFilledBytes(ScheduleAttr schedule, const GemmShape &gemm);

/// Cycles of the kernel that adds the parts, as in HopperModel.h; 0 without a
/// tail.
double getTailSumCycles(ScheduleAttr schedule, const GemmShape &gemm,
                        const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_TAILSCHEDULE_H
