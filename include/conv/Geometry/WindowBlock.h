//===- WindowBlock.h - pixels whose taps share one window -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The geometry of wgrad kernels whose taps read one window of the input in
// shared memory. A block of gemm-k is a box of output positions:
//
//   dy       images x box              one line of channels for each position
//   x        images x (box + reach)    the window; reach = (taps - 1) * step
//   tap r    position p of the block meets position p + r * step of the window
//
// With a stride, position p meets p * stride + r * step, and lines of the
// window are packed (WindowTile.h): those of a phase of the stride follow each
// other, so that neighbours of a block are neighbours there. Threads write such
// a window.
//
// The box is a run of rows of the views of dy and x, in row-major order: views
// are padded until every block of so many rows is one. Positions that padding
// adds read zero in dy, so that their products vanish.
//
// Its innermost extent is a multiple of eight: `wgmma` walks over gemm-k in
// groups of eight lines, which must follow each other in dy and in the window.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_WINDOWBLOCK_H
#define CONV_GEOMETRY_WINDOWBLOCK_H

#include "conv/Geometry/MatrixView.h"
#include "conv/Geometry/WindowTile.h"
#include "conv/Support/Result.h"

#include <optional>

namespace convmlir {

/// Channels of a line of the window, of a convolution with so many for each
/// filter: 128 bytes of 16-bit elements, or 64 or 32 that hold all.
constexpr int64_t getLineChannels(int64_t channels) {
  return channels <= 16 ? 16 : channels <= 32 ? 32 : 64;
}

/// Positions of one block, and of what it reads of x.
struct WindowBlock {
  int spatialRank = 2;
  int64_t images = 1;
  Spatial box{1, 1, 1};
  Spatial window{1, 1, 1};
  /// The lines of a window with a stride: whole rows of the packed pitch.
  std::optional<WindowTile> packed = std::nullopt;

  /// Lines of dy and of the window.
  int64_t getPositions() const;
  int64_t getWindowLines() const;
};

/// How a kernel reads blocks.
struct BlockUse {
  /// Threads write the window: only then there may be a stride.
  bool isWritten = false;
  /// Blocks are runs of positions of an image in their order, without strips,
  /// where a row is a whole number of them.
  bool keepsOrder = false;
};

/// The box that `number` taps, one after the other from a multiple of `number`,
/// are among `taps`. The error says why they are none.
Result<Spatial> getTapBox(const Spatial &taps, int spatialRank, int64_t number);

/// `view`, the input's, with its rows padded so that each run of `positions`
/// rows, a multiple of 16, is a box whose window for all taps of a box `taps`
/// fits into a box of TMA. Of several such boxes, that which pads least.
Result<MatrixView> padToBlocks(const MatrixView &view, const Spatial &taps,
                               int64_t positions, BlockUse use = {});

/// Blocks of a padded view.
int64_t countBlocks(const MatrixView &padded, int64_t positions);

/// The block of `positions` rows of a view that padToBlocks() made.
Result<WindowBlock> getWindowBlock(const MatrixView &padded,
                                   const Spatial &taps, int64_t positions);

} // namespace convmlir

#endif // CONV_GEOMETRY_WINDOWBLOCK_H
