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
#include "conv/Geometry/TmaView.h"

#include <algorithm>
#include <string>

using namespace convmlir;

/// Rows that one instruction multiplies; columns of an instruction.
static constexpr int64_t kColumns = 64, kMostLines = 256;

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

bool WindowTile::hasStride() const {
  for (int d = 0; d < spatialRank; ++d)
    if (stride[d] > 1)
      return true;
  return false;
}

int64_t WindowTile::getLines() const {
  if (isPacked)
    return packedLines;
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

//===----------------------------------------------------------------------===//
// Packed windows
//===----------------------------------------------------------------------===//

static bool hasStride(const MatrixView &view) {
  for (int d = 0; d < view.spatialRank; ++d)
    if (view.stride[d] > 1)
      return true;
  return false;
}

static int64_t getReach(const MatrixView &view, int d) {
  return (view.taps[d] - 1) * view.step[d];
}

/// With a stride of two, eight neighbouring positions of a row are four of each
/// phase of columns. These follow each other so that the eight lie in different
/// places of the swizzle, where the first is a multiple of eight of the image:
/// four lines apart, and one more where it is of the second phase.
void convmlir::packLines(WindowTile &tile, const MatrixView &view) {
  constexpr int64_t period = 8;
  tile.isPacked = true;
  for (int d = 0; d < 2; ++d) {
    tile.stride[d] = view.stride[d];
    for (int64_t tap = 0; tap < view.taps[d]; ++tap)
      tile.phases[d] =
          std::max(tile.phases[d], tap * view.step[d] % view.stride[d] + 1);
  }
  auto countRows = [&](int64_t phase) {
    return (tile.window[0] - phase + view.stride[0] - 1) / view.stride[0];
  };
  int64_t last = tile.phases[0] - 1;
  tile.phaseLines[0] = countRows(0) * tile.pitch;
  int64_t ofColumns = last * tile.phaseLines[0] + countRows(last) * tile.pitch;
  tile.phaseLines[1] =
      roundUp(ofColumns, period) + period / 2 + (view.offset[1] % 2 != 0);
  // The last rows of the tile begin at a column, and end as much further.
  int64_t end = tile.tile[1] + getReach(view, 1) / view.stride[1];
  tile.packedLines =
      roundUp((tile.phases[1] - 1) * tile.phaseLines[1] + ofColumns +
                  std::max<int64_t>(end - tile.pitch, 0),
              period);
}

/// Of a tile with rows of so many columns.
static WindowTile getPackedTile(const MatrixView &view, int64_t tileRows,
                                int64_t columns) {
  WindowTile result;
  result.spatialRank = 2;
  result.tile = {tileRows / columns, columns, 1};
  result.pitch = columns;
  for (int d = 0; d < 2; ++d)
    result.window[d] =
        (result.tile[d] - 1) * view.stride[d] + getReach(view, d) + 1;
  packLines(result, view);
  return result;
}

/// The fewest columns that hold a row of the result and what taps reach behind
/// it; 0 where these are too many.
static int64_t choosePackedColumns(const MatrixView &view) {
  int64_t needed = view.rows[1] + getReach(view, 1) / view.stride[1];
  for (int64_t columns = 8; columns <= kColumns; columns *= 2)
    if (columns >= needed)
      return columns;
  return 0;
}

/// Whole rows of 64 columns need no packing.
static bool packs(const MatrixView &view, int64_t columns) {
  return view.spatialRank == 2 && columns > 0 &&
         (hasStride(view) || columns < kColumns);
}

/// A tile is whole rows of so many positions.
static Status checkRows(int64_t tileRows, int64_t columns) {
  if (tileRows > 0 && tileRows % columns == 0)
    return {};
  return Error{"a window is of a tile of whole rows of " +
               std::to_string(columns) + " positions, but the tile has " +
               std::to_string(tileRows) + " positions"};
}

Result<WindowTile> convmlir::getPaddedWindowTile(const MatrixView &view,
                                                 int64_t tileRows,
                                                 bool isWritten) {
  if (isWritten && packs(view, view.rows[1])) {
    if (Status status = checkRows(tileRows, view.rows[1]); !status)
      return status.takeError();
    return getPackedTile(view, tileRows, view.rows[1]);
  }
  return getWindowTile(view, tileRows);
}

//===----------------------------------------------------------------------===//
// All windows
//===----------------------------------------------------------------------===//

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
                                           int64_t tileRows, bool isWritten) {
  bool isStrided = isWritten && view.numTaps() > 1 && hasStride(view);
  if (isWritten && view.spatialRank == 2 && view.numTaps() > 1) {
    int64_t columns = choosePackedColumns(view);
    if (packs(view, columns)) {
      if (Status status = checkRows(tileRows, columns); !status)
        return status.takeError();
      return getPackedTile(view, tileRows, columns);
    }
  }
  if (isStrided)
    return Error{"gather with a window and a stride is for images of two "
                 "dimensions, whose results have rows of at most " +
                 std::to_string(kColumns) +
                 " positions with those that taps reach behind them"};
  if (Status status = checkTaps(view); !status)
    return status.takeError();
  int64_t columns = view.spatialRank == 1 ? tileRows : kColumns;
  if (Status status = checkRows(tileRows, columns); !status)
    return status.takeError();
  WindowTile result = makeTile(view, tileRows / columns, columns);
  if (Status status = checkExtents(result); !status)
    return status.takeError();
  return result;
}

Result<WindowTile> convmlir::getDenseWindowTile(const MatrixView &view,
                                                int64_t tileRows, int64_t parts,
                                                bool isChannelsFirst) {
  if (Status status = checkTaps(view); !status)
    return status.takeError();
  WindowTile best;
  int64_t least = -1;
  constexpr int64_t lineCost = 32;
  int64_t lineCostOfRow = isChannelsFirst ? lineCost : 0;
  int last = view.spatialRank - 1;
  bool isLine = last == 0;
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
                           tile.getLines() +
                           lineCostOfRow * tile.getLines() / tile.window[last]);
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
