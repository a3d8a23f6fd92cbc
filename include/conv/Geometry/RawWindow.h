//===- RawWindow.h - a window as it lies, channels first --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The positions of a window (WindowTile.h) of a tensor with channels first,
// [batch, channel, extents], as TMA copies them: boxes [channel, position] of
// one image, from which threads make the window. In shared memory those of
// several rows are in panels of up to 64 positions with a swizzle, which TMA
// writes faster; a row's positions are few more than a panel has, and dense.
//
//   rows of an image    boxes
//   within one tile     of all positions of the window's rows, which follow
//                       each other; columns of padding are not among them
//   wider               of one row of the window each
//
// A box begins at a multiple of 16 bytes of its innermost dimension, and so
// does what TMA knows to end there, an image or a row. So a run of boxes may
// begin some positions in front of what the window needs; at a multiple of 32
// bytes, a sector of memory, where that takes no more room.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_RAWWINDOW_H
#define CONV_GEOMETRY_RAWWINDOW_H

#include "conv/Geometry/WindowBlock.h"
#include "conv/Geometry/WindowTile.h"

namespace convmlir {

/// Of elements of 16 bits. Boxes whose positions follow each other are a run.
struct RawWindow {
  /// Positions in 16 bytes.
  static constexpr int64_t kUnit = 8;

  /// Whether a run is along all positions of an image, and not along a row.
  bool isFlat = false;
  int64_t runs = 1;   ///< Of the window.
  int64_t rows = 1;   ///< Rows of the window in each run.
  int64_t width = 1;  ///< Positions of a row that a run has.
  int64_t column = 0; ///< Of the window, at which they begin.
  /// Positions at multiples of which runs begin.
  int64_t unit = kUnit;
  int64_t boxesPerRun = 1;
  /// Of a box, and of the last one of each run: whole panels, or an odd
  /// multiple of kUnit. So eight channels of the same positions lie in
  /// different banks.
  int64_t boxPositions = 64, lastPositions = 64;

  /// Whether rows of boxes follow each other in shared memory.
  bool isDense() const { return !isFlat; }
  int64_t getBoxes() const { return runs * boxesPerRun; }
  int64_t getPositions(int64_t box) const {
    return box % boxesPerRun == boxesPerRun - 1 ? lastPositions : boxPositions;
  }
  /// In shared memory, of so many channels.
  int64_t getBoxBytes(int64_t box, int64_t channels) const {
    return getPositions(box) * channels * 2;
  }
  int64_t getBytes(int64_t channels) const {
    return runs * ((boxesPerRun - 1) * boxPositions + lastPositions) *
           channels * 2;
  }
  /// Lines behind those of a window, in 128 * 8 bytes for each of three warps
  /// that make it: where they write what is none of its positions.
  static int64_t getScratchLines(int64_t channels) {
    int64_t lines = (3 * 1024 + 2 * channels - 1) / (2 * channels);
    return (lines + 7) / 8 * 8;
  }
};

/// The error says why TMA cannot copy these positions: "gather …".
Result<RawWindow> getRawWindow(const MatrixView &view, const WindowTile &tile);

/// The same of a block of one image, of a view of wgrad, for tiles that have
/// `taps` of the filter's.
Result<RawWindow> getRawWindow(const MatrixView &view, const Spatial &taps,
                               const WindowBlock &block);

/// The window of such a block as one of a tile, whose extents say what windows
/// of the tensor are apart.
WindowTile getWindowTile(const MatrixView &view, const Spatial &taps,
                         const WindowBlock &block);

} // namespace convmlir

#endif // CONV_GEOMETRY_RAWWINDOW_H
