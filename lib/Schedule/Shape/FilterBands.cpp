//===- FilterBands.cpp - depthwise images on tensor cores -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/FilterBands.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::divideCeil;

FilterBands::FilterBands(const DepthwiseSum &form, ScheduleAttr schedule)
    : Bands(form, schedule, /*filter=*/form.view.taps,
            /*image=*/form.view.rows) {}

int64_t FilterBands::countTiles() const {
  int64_t tiles = divideCeil(view.rows[1], columns);
  return divideCeil(tiles, divideCeil(tiles, kPairs));
}

int64_t FilterBands::countImages() const {
  return std::min(kPairs / countTiles(), view.batch);
}

std::array<int64_t, 4> FilterBands::getTile() const {
  return {countImages(), lines, getStripColumns(), channels};
}

int64_t FilterBands::countGroups() const {
  return divideCeil(view.batch, countImages());
}

int64_t FilterBands::countStrips() const {
  return divideCeil(view.rows[1], getStripColumns());
}

int64_t FilterBands::countWorkgroups() const {
  return countGroups() * countBands() * countStrips() *
         (view.channels / channels);
}

int64_t FilterBands::getFirst(int dim) const {
  return view.offset[dim] - (isTurned(dim) ? view.taps[dim] - 1 : 0);
}

/// Lines in front of x are left out.
int64_t FilterBands::countSteps() const {
  int64_t before = getFilterLines() - 1;
  return lines + before - std::clamp<int64_t>(-getFirst(0), 0, before);
}
