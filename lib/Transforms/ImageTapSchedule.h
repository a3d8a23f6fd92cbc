//===- ImageTapSchedule.h - wgrad with images in registers ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules of a wgrad whose x is read as it lies (conv/Geometry/ImageTaps.h):
// `window`, `gather` and `k_major`, with warps along gemm-n, so that channels
// are the rows of `wgmma` and filters its columns. Each warpgroup has 64
// channels of its own, of all taps of a tile, and takes them from shared memory
// into registers. dy is the other operand, K-major.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_IMAGETAPSCHEDULE_H
#define CONV_LIB_TRANSFORMS_IMAGETAPSCHEDULE_H

#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Geometry/ImageTaps.h"
#include "conv/Geometry/WindowBlock.h"
#include "conv/Transforms/Schedule.h"

namespace mlir::conv {

/// More sums of a thread leave few registers for all else.
inline constexpr int64_t kManySums = 180;

/// Channels of a tap that a tile of wgrad with a window has, of so many of a
/// filter.
inline int64_t getTapChannels(ScheduleAttr schedule, int64_t channels) {
  constexpr int64_t rowsPerWarp = 16;
  return readsImageTaps(schedule) ? rowsPerWarp * schedule.getWarps()[1]
                                  : convmlir::getLineChannels(channels);
}

/// What a block has of x. The error says why there is no such kernel.
convmlir::Result<convmlir::ImageTaps> getImageTaps(ScheduleAttr schedule,
                                                   const GemmShape &gemm);

/// Blocks of gemm-k, of a legal schedule.
int64_t countImageTapBlocks(ScheduleAttr schedule, const GemmShape &gemm);

/// Which limit such a schedule breaks; empty if it is legal.
std::string whyIllegalImageTaps(ScheduleAttr schedule, const GemmShape &gemm,
                                const ChipInfo &chip);

/// Why TMA cannot copy the boxes of such a schedule, which is legal; empty if
/// it can.
std::string whyNoImageTapBoxes(ConvOpInterface op, ScheduleAttr schedule);

/// Appends the legal candidates, in no order.
void addImageTaps(MLIRContext *context, const GemmShape &gemm,
                  const ChipInfo &chip,
                  SmallVectorImpl<RankedSchedule> &ranked);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_IMAGETAPSCHEDULE_H
