//===- DepthwiseBands.cpp - depthwise sums on tensor cores ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/DepthwiseBands.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::divideCeil;

DepthwiseBands::DepthwiseBands(const DepthwiseSum &form, ScheduleAttr schedule)
    : view(form.view), lines(schedule.getTile()[0]),
      channels(schedule.getTile()[1]), columns(schedule.getTile()[2]),
      warps(schedule.getWarps()[1]), stages(schedule.getStages()),
      parts(schedule.getSplit()) {}

int64_t DepthwiseBands::getThreads() const { return warps * kWarpSize; }

/// For a line of the filter and a channel four sums, and two with the images
/// of a line of dy.
int64_t DepthwiseBands::countRegisters() const {
  constexpr int64_t others = 40; // Without which ptxas spills.
  return 6 * getFilterLines() * getWarpChannels() + others;
}

int64_t DepthwiseBands::countBands() const {
  return divideCeil(view.taps[0], lines);
}

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

int64_t DepthwiseBands::getSharedBytes(int64_t elementBytes) const {
  return std::max<int64_t>(stages * getStageElements() * elementBytes,
                           countStoredSums() * sizeof(float));
}
