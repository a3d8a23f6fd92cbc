//===- WindowTile.h - a tile whose taps share one window --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The geometry of kernels whose taps read one window of the input in shared
// memory, a shifted part of it each, instead of a tile of the matrix each.
//
// A tile of the result is a box of positions of one image, and its rows are
// those positions in row-major order:
//
//   rank   tile of M rows       window
//   1      M                    M + reach
//   2      M/64 x 64            (M/64 + reach) x (64 + reach)
//   3      1 x M/64 x 64        (1 + reach) x (M/64 + reach) x (64 + reach)
//
// with a reach of (taps - 1) * step in each dimension. So 64 rows of the tile,
// what one `wgmma` multiplies, are 64 consecutive lines of the window whichever
// the tap: a line is a position, and has a block of channels. Images are padded
// to whole tiles; what lies past them is multiplied, and dropped by the store.
// An image wider than a tile is walked over in strips (MatrixView).
//
// Where positions are the columns of `wgmma` (dense tiles), rows may have any
// number of columns, and an instruction multiplies several of them: all lines
// of the window from the first to the last of these positions, up to 256. The
// columns of padding between two rows are multiplied with them, and dropped.
//
// A window that threads write, position by position, may have its lines in any
// order. It is packed where the image is narrow or has a stride:
//
//   tile      M/columns rows of 8, 16, 32 or 64 columns, the fewest that the
//             result has, with as many behind them as taps reach
//   window    positions whose coordinates leave the same rest when they are
//             divided by the stride, a phase, are neighbours: position (y, x)
//             is in row y / stride and column x / stride of phase (y mod
//             stride, x mod stride), and each row has a line for each column of
//             the tile
//
// So all M rows of the tile are consecutive lines of a phase, whichever the
// tap. Columns behind the result's are multiplied, and dropped by the store.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_WINDOWTILE_H
#define CONV_GEOMETRY_WINDOWTILE_H

#include "conv/Geometry/MatrixView.h"
#include "conv/Support/Result.h"

namespace convmlir {

/// Positions per spatial dimension, outermost first.
struct WindowTile {
  int spatialRank = 2;
  Spatial tile{1, 1, 1};
  Spatial window{1, 1, 1};

  /// Parts of a dense tile, one after the other, each of which one instruction
  /// multiplies; 0 of other tiles.
  int64_t parts = 0;

  /// See above. What follows is of packed windows only.
  bool isPacked = false;
  Spatial stride{1, 1, 1};
  Spatial phases{1, 1, 1};     ///< That taps read, of each dimension.
  Spatial phaseLines{0, 0, 0}; ///< From one of them to the next.
  int64_t pitch = 0; ///< Lines from a row, of a phase, to the next one.
  int64_t packedLines = 0;

  /// Positions from the first one of a window to those of others are multiples
  /// of these, where that is not from tile to tile.
  Spatial apart{0, 0, 0};

  int64_t getPitch() const {
    return isPacked ? pitch : window[spatialRank - 1];
  }
  int64_t getDistance(int dim) const {
    return apart[dim] > 0 ? apart[dim] : tile[dim] * stride[dim];
  }
  bool hasStride() const;

  /// Lines of the window, and those between two slots of a ring of windows:
  /// every slot begins at a multiple of eight lines, as the swizzle repeats.
  /// What the last instruction reads past a window belongs to its slot.
  int64_t getLines() const;
  int64_t getSlotLines() const {
    return (getLines() + getLinesPastPart() + 7) / 8 * 8;
  }
  /// Of one part of a dense tile: the columns of its instruction, a multiple of
  /// eight.
  int64_t getPartLines() const { return (getReadLines() + 7) / 8 * 8; }

private:
  int64_t getReadLines() const;
  int64_t getLinesPastPart() const {
    return parts == 0 ? 0 : getPartLines() - getReadLines();
  }
};

/// The window of a tile of `tileRows` rows, a multiple of 64, of a view with
/// positive steps. Those that threads write may be packed; others have no
/// stride. The error says why there is none.
Result<WindowTile> getWindowTile(const MatrixView &view, int64_t tileRows,
                                 bool isWritten = false);

/// The same of a view that padToTiles() has made.
Result<WindowTile> getPaddedWindowTile(const MatrixView &view, int64_t tileRows,
                                       bool isWritten);

/// The same of a dense tile in `parts`. Of the boxes of so many positions it is
/// that with the least work for the whole view: columns of all instructions,
/// and lines to copy, which take as long as one column does. Where channels are
/// first in memory, each row of the window takes as long as some lines more:
/// its ends are in parts of sectors.
Result<WindowTile> getDenseWindowTile(const MatrixView &view, int64_t tileRows,
                                      int64_t parts,
                                      bool isChannelsFirst = false);

/// Packs the window of a tile of two dimensions, which has its positions and
/// its pitch: lines of phases, rows of which taps reach behind are whole where
/// the pitch has room for that.
void packLines(WindowTile &tile, const MatrixView &view);

/// `view` with its rows padded to whole tiles, tile by tile of each image. The
/// same for the view of the result, whose rows are the same positions.
MatrixView padToTiles(const MatrixView &view, const WindowTile &tile);

} // namespace convmlir

#endif // CONV_GEOMETRY_WINDOWTILE_H
