//===- RawWindow.cpp - a window as it lies, channels first ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a view with a window, of a tensor that has its channels first in
// memory. Output: the boxes that hold the positions of the window, or the
// reason why TMA cannot copy them.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/RawWindow.h"

#include <algorithm>
#include <numeric>
#include <string>

using namespace convmlir;

static constexpr int64_t kUnit = RawWindow::kUnit;

/// Boxes for a run of so many positions. While one is transposed, others are on
/// their way: so the window has two at least, but for one without taps, which
/// is beside another. The last one has as few positions as two or three panels
/// can have, or a narrow one.
static void setPanels(RawWindow &raw, int64_t positions, bool isBesideOther) {
  raw.boxPositions = 128;
  while (raw.boxPositions >= positions && raw.boxPositions > 16 &&
         !isBesideOther)
    raw.boxPositions /= 2;
  raw.boxesPerRun = (positions + raw.boxPositions - 1) / raw.boxPositions;
  int64_t rest = positions - (raw.boxesPerRun - 1) * raw.boxPositions;
  for (int64_t width : {16, 32, 64, 96, 128})
    if (width >= rest) {
      raw.lastPositions = width;
      break;
    }
}

/// The same of one row, in equal boxes.
static void setRows(RawWindow &raw, int64_t positions) {
  constexpr int64_t most = 15 * kUnit;
  raw.boxesPerRun = (positions + most - 1) / most;
  if (raw.runs == 1 && raw.boxesPerRun == 1)
    raw.boxesPerRun = 2;
  int64_t each = (positions + raw.boxesPerRun - 1) / raw.boxesPerRun;
  int64_t units = (each + kUnit - 1) / kUnit;
  raw.boxPositions = (units + (units % 2 == 0 ? 1 : 0)) * kUnit;
  raw.lastPositions = raw.boxPositions;
}

/// The most positions between a multiple of the unit and the first position of
/// a tile, where tiles begin at `first` plus multiples of `distance`.
static int64_t getMostInFront(int64_t first, int64_t distance,
                              int64_t unit = kUnit) {
  int64_t step = std::gcd(distance, unit);
  int64_t rest = (first % step + step) % step;
  return rest + unit - step;
}

/// Runs of rows of images.
static RawWindow getFlatWindow(const MatrixView &view, const WindowTile &tile,
                               int64_t unit) {
  int64_t width = view.extent[1];
  RawWindow raw;
  raw.isFlat = true;
  raw.rows = tile.window[0];
  raw.width = width;
  raw.column = -view.offset[1];
  raw.unit = unit;
  setPanels(raw,
            raw.rows * width + getMostInFront(view.offset[0] * width,
                                              tile.getDistance(0) * width,
                                              unit),
            /*isBesideOther=*/view.numTaps() == 1);
  return raw;
}

Result<RawWindow> convmlir::getRawWindow(const MatrixView &view,
                                         const WindowTile &tile) {
  if (view.spatialRank > 2)
    return Error{"gather has windows of one and two dimensions, not of " +
                 std::to_string(view.spatialRank)};
  int last = view.spatialRank - 1;
  int64_t width = view.extent[last];
  bool isWhole = view.strips == 1 && view.rows[last] <= tile.tile[last];
  int64_t positions = view.extent[0] * width;
  if (last > 0 && isWhole && positions % kUnit == 0) {
    constexpr int64_t sector = 2 * kUnit;
    RawWindow raw = getFlatWindow(view, tile, kUnit);
    // Of all images and channels, and of all tiles.
    if (positions % sector != 0 || tile.getDistance(0) * width % sector != 0)
      return raw;
    RawWindow aligned = getFlatWindow(view, tile, sector);
    return aligned.getBytes(1) <= raw.getBytes(1) ? aligned : raw;
  }
  if (width % kUnit != 0 || tile.isPacked)
    return Error{"gather with a window copies images whose rows have a "
                 "multiple of 8 positions, or whose positions are that and "
                 "whose rows are within one tile, but these are " +
                 (last > 0 ? std::to_string(view.extent[0]) + " x " : "") +
                 std::to_string(width)};
  RawWindow raw;
  raw.runs = last > 0 ? tile.window[0] : 1;
  raw.width = tile.window[last];
  setRows(raw, raw.width +
                   getMostInFront(view.offset[last], tile.getDistance(last)));
  return raw;
}

/// Taps of several tiles of the result begin at different columns of padding,
/// so windows of some of a row's are no rows of an image.
WindowTile convmlir::getWindowTile(const MatrixView &view, const Spatial &taps,
                                   const WindowBlock &block) {
  WindowTile tile;
  if (block.packed)
    tile = *block.packed;
  tile.spatialRank = block.spatialRank;
  tile.tile = block.box;
  tile.window = block.window;
  int last = block.spatialRank - 1;
  for (int d = 0; d <= last; ++d) {
    if (taps[d] == view.taps[d])
      continue;
    tile.apart[d] = d == last ? 1
                              : std::gcd(block.box[d] * view.stride[d],
                                         taps[d] * view.step[d]);
    if (d == last)
      tile.tile[d] = 1;
  }
  return tile;
}

Result<RawWindow> convmlir::getRawWindow(const MatrixView &view,
                                         const Spatial &taps,
                                         const WindowBlock &block) {
  if (block.images != 1)
    return Error{"gather has windows of one image, not of " +
                 std::to_string(block.images)};
  if (view.rows[block.spatialRank - 1] < 2)
    return Error{"gather has windows of rows of two or more positions"};
  return getRawWindow(view, getWindowTile(view, taps, block));
}
