//===- DepthwiseBands.cpp - depthwise sums on tensor cores ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/DepthwiseBands.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::divideCeil;

DepthwiseBands::DepthwiseBands(const DepthwiseSum &form, ScheduleAttr schedule)
    : Bands(form, schedule, /*filter=*/form.view.rows,
            /*image=*/form.view.taps),
      parts(schedule.getSplit()) {}

int64_t DepthwiseBands::countStrips() const {
  return divideCeil(view.taps[1], columns);
}

int64_t DepthwiseBands::countGroups() const {
  return divideCeil(view.batch, kImages);
}

int64_t DepthwiseBands::countTasks() const {
  return countBands() * countStrips() * countGroups();
}

/// A band needs the lines below it. Where it is the only one, lines of x that
/// do not exist end it early: there are as many in front of the first line, or
/// as many behind the last, as lines of dy would be left.
int64_t DepthwiseBands::countSteps() const {
  int64_t all = lines + getFilterLines() - 1;
  if (countBands() > 1)
    return all;
  int64_t before = std::max<int64_t>(-view.offset[0], 0);
  int64_t behind = std::max<int64_t>(
      view.taps[0] + getFilterLines() - 1 - before - view.extent[0], 0);
  return std::min(all, view.extent[0] + std::max(before, behind));
}

int64_t DepthwiseBands::getSharedBytes() const {
  return std::max<int64_t>(stages * getStageElements() * kElementBytes,
                           countStoredSums() * sizeof(float));
}
