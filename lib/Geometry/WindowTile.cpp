//===- WindowTile.cpp - a tile whose taps share one window ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a view and the rows of a tile. Output: the positions of the tile and
// of its window, or the reason why it has none.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/WindowTile.h"

#include <string>

using namespace convmlir;

/// Rows that one instruction multiplies; positions of a tiled box of TMA.
static constexpr int64_t kColumns = 64, kMaxBoxExtent = 256;

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int64_t WindowTile::getLines() const {
  int64_t lines = 1;
  for (int d = 0; d < spatialRank; ++d)
    lines *= window[d];
  return lines;
}

Result<WindowTile> convmlir::getWindowTile(const MatrixView &view,
                                           int64_t tileRows) {
  if (view.numTaps() < 2)
    return Error{"a window is for several taps, but there is " +
                 std::to_string(view.numTaps())};
  WindowTile result;
  int last = view.spatialRank - 1;
  result.spatialRank = view.spatialRank;
  result.tile[last] = last == 0 ? tileRows : kColumns;
  if (last > 0)
    result.tile[last - 1] = tileRows / kColumns;
  for (int d = 0; d <= last; ++d) {
    if (view.stride[d] != 1)
      return Error{"a window needs stride 1, but spatial dimension " +
                   std::to_string(d) + " has " +
                   std::to_string(view.stride[d])};
    result.window[d] = result.tile[d] + (view.taps[d] - 1) * view.step[d];
    if (result.window[d] > kMaxBoxExtent)
      return Error{"a window has at most " + std::to_string(kMaxBoxExtent) +
                   " positions in each dimension, but would have " +
                   std::to_string(result.window[d]) + " in dimension " +
                   std::to_string(d)};
  }
  return result;
}

MatrixView convmlir::padToTiles(const MatrixView &view,
                                const WindowTile &tile) {
  MatrixView padded = view;
  int last = view.spatialRank - 1;
  for (int d = 0; d <= last; ++d)
    padded.rows[d] = roundUp(view.rows[d], tile.tile[d]);
  padded.strips = padded.rows[last] / tile.tile[last];
  padded.rows[last] = tile.tile[last];
  return padded;
}
