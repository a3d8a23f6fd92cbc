//===- Bands.cpp - what kernels with bands have in common -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/Bands.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

Bands::Bands(const DepthwiseSum &form, ScheduleAttr schedule,
             const convmlir::Spatial &filter, const convmlir::Spatial &image)
    : view(form.view), filter(filter), image(image),
      lines(schedule.getTile()[0]), channels(schedule.getTile()[1]),
      columns(schedule.getTile()[2]), warps(schedule.getWarps()[1]),
      stages(schedule.getStages()) {}

int64_t Bands::getThreads() const { return warps * kWarpSize; }

int64_t Bands::countRegisters() const {
  constexpr int64_t others = 40; // Without which ptxas spills.
  return 6 * getFilterLines() * getWarpChannels() + others;
}

int64_t Bands::countBands() const {
  return llvm::divideCeil(image[0], lines);
}
