//===- RawRowSlots.h - which tiles come in boxes of images ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles [channel, position] that are gathered come in one of two ways: by
// asynchronous copies of threads (Pieces.h), or by TMA in boxes of images
// (conv/Geometry/RawRows.h), from which warps of the producer make them. Which
// one it is depends on the schedule and the positions of an image.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_RAWROWSLOTS_H
#define CONV_SCHEDULE_FORMS_RAWROWSLOTS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Geometry/RawRows.h"
#include "conv/Schedule/Forms/BoxSlots.h"

#include "mlir/Support/LLVM.h"

#include <optional>

namespace mlir::conv {

/// The ring of boxes of a schedule. A slot has those of some channels of a
/// tile.
struct RawRowSlots {
  convmlir::RawRows raw;
  int64_t channels;
  int64_t slots;

  int64_t getSlotBytes() const { return raw.getBytes(channels); }
  /// Of all slots, aligned as shared memory is divided.
  int64_t getBytes() const;
};

/// Of images with so many positions and channels, of which the former are rows
/// of the left operand. Nothing where the schedule has none: TMA cannot copy
/// them, or shared memory has no room for two slots beside the ring of tiles
/// and what is staged of the result, in elements as large. There are up to four
/// slots.
std::optional<RawRowSlots> getRawRowSlots(ScheduleAttr schedule,
                                          int64_t positions, int64_t channels);

/// The same for the copies of a kernel or block with this schedule, nothing
/// where they are of wgrad.
std::optional<RawRowSlots> getRawRowSlots(ScheduleAttr schedule,
                                          ArrayRef<Im2colOp> copies);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_RAWROWSLOTS_H
