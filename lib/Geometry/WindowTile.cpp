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

/// Rows that one instruction multiplies; positions of a tiled box of TMA;
/// columns of an instruction.
static constexpr int64_t kColumns = 64, kMaxBoxExtent = 256, kMostLines = 256;

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int64_t WindowTile::getLines() const {
  int64_t lines = 1;
  for (int d = 0; d < spatialRank; ++d)
    lines *= window[d];
  return lines;
}

/// From the first position of a part to its last one.
int64_t WindowTile::getReadLines() const {
  int last = spatialRank - 1;
  if (last == 0)
    return tile[0] / parts;
  return (tile[last - 1] / parts - 1) * window[last] + tile[last];
}

static Status checkTaps(const MatrixView &view) {
  if (view.numTaps() < 2)
    return Error{"a window is for several taps, but there is " +
                 std::to_string(view.numTaps())};
  for (int d = 0; d < view.spatialRank; ++d)
    if (view.stride[d] != 1)
      return Error{"a window needs stride 1, but spatial dimension " +
                   std::to_string(d) + " has " +
                   std::to_string(view.stride[d])};
  return {};
}

/// A tile of `rows` x `columns` positions.
static WindowTile makeTile(const MatrixView &view, int64_t rows,
                           int64_t columns) {
  WindowTile result;
  int last = view.spatialRank - 1;
  result.spatialRank = view.spatialRank;
  result.tile[last] = columns;
  if (last > 0)
    result.tile[last - 1] = rows;
  for (int d = 0; d <= last; ++d)
    result.window[d] = result.tile[d] + (view.taps[d] - 1) * view.step[d];
  return result;
}

static Status checkExtents(const WindowTile &tile) {
  for (int d = 0; d < tile.spatialRank; ++d)
    if (tile.window[d] > kMaxBoxExtent)
      return Error{"a window has at most " + std::to_string(kMaxBoxExtent) +
                   " positions in each dimension, but would have " +
                   std::to_string(tile.window[d]) + " in dimension " +
                   std::to_string(d)};
  return {};
}

Result<WindowTile> convmlir::getWindowTile(const MatrixView &view,
                                           int64_t tileRows) {
  if (Status status = checkTaps(view); !status)
    return status.takeError();
  int64_t columns = view.spatialRank == 1 ? tileRows : kColumns;
  WindowTile result = makeTile(view, tileRows / columns, columns);
  if (Status status = checkExtents(result); !status)
    return status.takeError();
  return result;
}

Result<WindowTile> convmlir::getDenseWindowTile(const MatrixView &view,
                                                int64_t tileRows,
                                                int64_t parts) {
  if (Status status = checkTaps(view); !status)
    return status.takeError();
  WindowTile best;
  int64_t least = -1;
  bool isLine = view.spatialRank == 1;
  int64_t leastColumns = isLine ? tileRows : 1;
  for (int64_t columns = tileRows; columns >= leastColumns; --columns) {
    int64_t rows = tileRows / columns;
    if (tileRows % columns != 0 || (isLine ? columns : rows) % parts != 0)
      continue;
    WindowTile tile = makeTile(view, rows, columns);
    tile.parts = parts;
    if (!checkExtents(tile) || tile.getPartLines() > kMostLines)
      continue;
    int64_t tiles = 1;
    for (int d = 0; d < view.spatialRank; ++d)
      tiles *= roundUp(view.rows[d], tile.tile[d]) / tile.tile[d];
    int64_t all = tiles * (view.numTaps() * parts * tile.getPartLines() +
                           tile.getLines());
    if (least < 0 || all < least) {
      least = all;
      best = tile;
    }
  }
  if (least < 0)
    return Error{"no box of " + std::to_string(tileRows) + " positions in " +
                 std::to_string(parts) + " parts has at most " +
                 std::to_string(kMostLines) + " lines of its window in each"};
  return best;
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
