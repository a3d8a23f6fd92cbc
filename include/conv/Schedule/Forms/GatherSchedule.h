//===- GatherSchedule.h - schedules that transpose tiles --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors with channels first are transposed by a kernel of their own, or tile
// by tile on their way into shared memory, by threads of the producer: what a
// schedule with `gather` says.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_GATHERSCHEDULE_H
#define CONV_SCHEDULE_FORMS_GATHERSCHEDULE_H

#include "conv/Schedule/Forms/ImageSlots.h"
#include "conv/Schedule/Forms/RawRowSlots.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Why the kernel of the schedule, which says `gather`, cannot transpose tiles;
/// empty if it can.
std::string whyNoGather(ScheduleAttr schedule, const GemmShape &gemm);

/// Whether the tiles of an operand are gathered.
bool gathersA(ScheduleAttr schedule, const GemmShape &gemm);
bool gathersB(ScheduleAttr schedule, const GemmShape &gemm);

/// Whether gathered tiles are copied as they are, in pieces (Pieces.h).
bool copiesPieces(ScheduleAttr schedule, const GemmShape &gemm);

/// The boxes of images that come by TMA, of which warps make the gathered tiles
/// (RawRowSlots.h); nothing where there are none.
std::optional<RawRowSlots> getRawRowSlots(ScheduleAttr schedule,
                                          const GemmShape &gemm);
/// The same of whole images (ImageSlots.h).
convmlir::Result<ImageSlots> getImageSlots(ScheduleAttr schedule,
                                           const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_GATHERSCHEDULE_H
