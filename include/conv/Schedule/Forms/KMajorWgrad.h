//===- KMajorWgrad.h - wgrad with dy as it lies -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wgrad of tensors with channels first transposes x, whose positions are
// shifted by the taps. Those of dy are not: each image of dy is a matrix
// [channel, position], whose rows are along gemm-k. A schedule with `k_major`
// reads it so.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_KMAJORWGRAD_H
#define CONV_SCHEDULE_FORMS_KMAJORWGRAD_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Why no kernel reads dy of `op` with its channels first, where each `merge`
/// groups are one and `fold` taps are channels, which must be possible; empty
/// if one does.
std::string whyNoKMajor(ConvOpInterface op, int64_t merge,
                        ArrayRef<int64_t> fold);

/// Why TMA cannot load tiles of so many channels and positions of such a dy;
/// empty if it can.
std::string whyNoImageTiles(ConvOpInterface op, int64_t channels,
                            int64_t positions);

/// Positions of such a dy that a block has in shared memory, beside a window:
/// as many more than the schedule's as let TMA copy fewer, wider panels, where
/// there is room for them beside `otherBytes`. They are not multiplied.
int64_t getStoredPositions(ScheduleAttr schedule, int64_t otherBytes);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_KMAJORWGRAD_H
