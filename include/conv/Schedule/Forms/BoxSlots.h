//===- BoxSlots.h - room for what becomes tiles -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the slots of both kinds of boxes beside a ring of tiles have in common:
// boxes whose lines are skewed (RawRowSlots.h), and whole images
// (ImageSlots.h), of 16-bit elements.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_BOXSLOTS_H
#define CONV_SCHEDULE_FORMS_BOXSLOTS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/Support/LLVM.h"

namespace mlir::conv {

class Im2colOp;

/// The fewest slots that are of use.
inline constexpr int64_t kFewestBoxSlots = 2;

/// Shared memory of so many slots, aligned as it is divided.
int64_t getBoxSlotsBytes(int64_t slots, int64_t slotBytes);

/// Up to four slots: as many as shared memory has room for beside the ring of
/// tiles and what is staged of the result, in elements as large. 0 if these are
/// too few.
int64_t countBoxSlots(ScheduleAttr schedule, int64_t slotBytes);

/// The one copy of images with their channels first, of which all positions are
/// read one by one; null if there is none or another.
Im2colOp findGatheredImages(ArrayRef<Im2colOp> copies);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_BOXSLOTS_H
