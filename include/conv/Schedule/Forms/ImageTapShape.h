//===- ImageTapShape.h - blocks of wgrad with images in registers *- C++
//-*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows from a schedule whose x is read as it lies (ImageTapSchedule.h).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_IMAGETAPSHAPE_H
#define CONV_SCHEDULE_FORMS_IMAGETAPSHAPE_H

#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Geometry/ImageTaps.h"
#include "conv/Geometry/WindowBlock.h"
#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Channels of a tap that a tile of wgrad with a window has, of so many of a
/// filter.
inline int64_t getTapChannels(ScheduleAttr schedule, int64_t channels) {
  constexpr int64_t rowsPerWarp = 16;
  return readsImageTaps(schedule) ? rowsPerWarp * schedule.getWarps()[1]
                                  : convmlir::getLineChannels(channels);
}

/// What a block has of x. The error says why there is no such kernel.
/// Of tiles of so many taps of x, whose blocks have so many positions.
convmlir::Result<convmlir::ImageTaps>
getImageTaps(const convmlir::MatrixView &view, int64_t numTaps,
             int64_t positions);
convmlir::Result<convmlir::ImageTaps> getImageTaps(ScheduleAttr schedule,
                                                   const GemmShape &gemm);

/// Blocks of gemm-k, of a legal schedule.
int64_t countImageTapBlocks(ScheduleAttr schedule, const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_IMAGETAPSHAPE_H
