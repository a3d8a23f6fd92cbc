//===- DepthwiseBands.h - depthwise sums on tensor cores --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a kernel of tensor cores divides the gradient of a depthwise filter. One
// instruction has one channel and one line r of the filter:
//
//   G[m, n] += sum over 16 images of x[image, p + r, q + m] * dy[image, p, q +
//   n]
//
// and the taps are the diagonals m - n = s of G. A warp has a few channels and
// slides down the lines of a strip of columns. A task is such a strip, 16
// images and a band of lines of dy; parts share the tasks.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_DEPTHWISEBANDS_H
#define CONV_SCHEDULE_SHAPE_DEPTHWISEBANDS_H

#include "conv/Schedule/Shape/Bands.h"

namespace mlir::conv {

struct DepthwiseBands : Bands {
  static constexpr int64_t kImages = 16; ///< Of an instruction.

  DepthwiseBands(const DepthwiseSum &form, ScheduleAttr schedule);

  int64_t parts;

  /// Columns of x that the taps of a strip read.
  int64_t getColumnsOfX() const { return columns + getLineTaps() - 1; }

  int64_t countStrips() const;
  int64_t countGroups() const; ///< Of images.
  int64_t countTasks() const;
  /// Lines of x that a task walks down: no line of dy is left in registers
  /// when the next task begins.
  int64_t countSteps() const;

  /// Of a line of x, or of dy, in shared memory.
  int64_t getElements(int64_t lineColumns) const {
    return kImages * lineColumns * channels;
  }
  int64_t getStageElements() const {
    return getElements(getColumnsOfX()) + getElements(columns);
  }
  /// The ring, or the sums that go through its place at the end.
  int64_t getSharedBytes() const;
  /// Numbers of f32 of one channel's sums, whose rows have one more so that
  /// they begin in different banks.
  static constexpr int64_t kSumPitch = kColumns + 1;
  int64_t countStoredSums() const { return channels * kColumnsOfX * kSumPitch; }
};

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_DEPTHWISEBANDS_H
