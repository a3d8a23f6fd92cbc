//===- Kn2rowSchedule.h - schedules with sums for taps ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_KN2ROWSCHEDULE_H
#define CONV_SCHEDULE_FORMS_KN2ROWSCHEDULE_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Why `op`, in either layout, is not computed with sums of their own for taps
/// along a line (Kn2row.h), whatever else the schedule says: it has no such
/// form, or tensors that have their channels last anyway. Empty if it can be.
std::string whyNoKn2row(ConvOpInterface op);

/// Which rule of such kernels a schedule with `kn2row` breaks; empty if none.
std::string whyIllegalKn2row(ScheduleAttr schedule, const GemmShape &gemm);

/// Why TMA cannot copy the tiles of images or of filters of such a schedule,
/// which is legal; empty if it can.
std::string whyNoKn2rowBoxes(ConvOpInterface op, ScheduleAttr schedule,
                             const GemmShape &gemm);

/// Positions of a tile in shared memory: whole panels.
int64_t getKn2rowColumns(ScheduleAttr schedule);

/// Slots of the ring of positions, of 16-bit elements and results, beside so
/// many bytes of filters that stay (KeptOperands.h).
int64_t countSlotsBesideFilters(ScheduleAttr schedule, int64_t filterBytes);
int64_t countKn2rowSlots(ScheduleAttr schedule, const GemmShape &gemm);

/// Bytes of the rings.
int64_t getKn2rowRingBytes(ScheduleAttr schedule, const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_KN2ROWSCHEDULE_H
