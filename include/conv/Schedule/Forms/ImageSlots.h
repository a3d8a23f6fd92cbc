//===- ImageSlots.h - which tiles come as whole images ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where images have their channels first and the positions of a tile are all
// those of some of them, the channels of a block are one run of memory in each
// image, whatever the number of positions. TMA copies these runs as they are,
// and warps of the producer make the tile [channel, position]
// (engine.join_images). So no byte is copied that is not multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_IMAGESLOTS_H
#define CONV_SCHEDULE_FORMS_IMAGESLOTS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Schedule/Forms/BoxSlots.h"
#include "conv/Support/Result.h"

#include "mlir/Support/LLVM.h"

namespace mlir::conv {

/// The ring of whole images of a schedule, [image, channel, position] of
/// 16-bit elements. A slot has those of a tile, of the channels of a block.
struct ImageSlots {
  int64_t images, channels, positions;
  int64_t line; ///< Elements of a line of the box that TMA copies.
  int64_t slots;

  int64_t getSlotBytes() const;
  /// Of all slots, aligned as shared memory is divided.
  int64_t getBytes() const;
  /// Of the box, for each image.
  int64_t getLines() const { return channels * positions / line; }
};

/// Of images with so many positions and channels, of which the former are the
/// columns of wgmma. The error says why there are none: tiles are no whole
/// images, or shared memory has no room for two slots beside the ring of tiles
/// and what is staged of the result, in elements as large. There are up to four
/// slots.
convmlir::Result<ImageSlots> getImageSlots(ScheduleAttr schedule,
                                           int64_t positions, int64_t channels);

/// The same for the copies of a kernel or block with this schedule.
convmlir::Result<ImageSlots> getImageSlots(ScheduleAttr schedule,
                                           ArrayRef<Im2colOp> copies);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_IMAGESLOTS_H
