//===- ImageTaps.h - taps of images as they lie in memory -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The geometry of wgrad kernels that read x, [image, channel, position], as it
// lies: TMA copies boxes [channel, position] to shared memory, and threads take
// from them what their products need, in registers. A block of gemm-k is whole
// rows of dy, or a part of one. Positions of x that its taps reach come in one
// of three ways:
//
//   a run    all rows, one behind the other as in memory, in boxes of equal
//            length
//   lines    rows that a stride leaves, a box for each, for taps of one row of
//            the filter
//   a part   of a row, for each row of taps a box, which TMA ends with the row
//
// In the first two, what a tap reads in front of a row, or behind it, is the
// neighbouring row, and counts as zero. What is outside of the image is zero in
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_IMAGETAPS_H
#define CONV_GEOMETRY_IMAGETAPS_H

#include "conv/Geometry/MatrixView.h"
#include "conv/Support/Result.h"

#include <limits>
#include <optional>

namespace convmlir {

/// Where the elements of a block are, of images with one or two dimensions,
/// which count as [rows, columns]. All numbers are of elements.
struct ImageTaps {
  /// Positions in 16 bytes, of 16-bit elements.
  static constexpr int64_t kUnit = 8;
  /// Positions that one product of fragments in registers adds.
  static constexpr int64_t kStep = 16;
  enum class Kind { Run, Lines, Part };
  Kind kind = Kind::Run;

  int64_t rows = 1, width = 1; ///< Of dy in a block.
  int64_t tapRows = 1, tapColumns = 1;

  int64_t boxes = 1;     ///< Of a block,
  int64_t boxLength = 8; ///< each of so many positions of every channel,
  /// which begin so many positions of an image behind each other, or rows.
  int64_t boxDistance = 0;

  /// Columns of a row of x beside which are zeros that are not in memory, and
  /// which of them position 0 meets at tap 0.
  int64_t extent = std::numeric_limits<int64_t>::max(), column = 0;
  /// From a column of dy, or a tap, to the next one in x.
  int64_t columnStride = 1, columnStep = 1;
  /// The same of rows, in boxes that follow each other.
  int64_t rowStride = 1, rowStep = 0;
  /// Elements in front of column 0 of each box, or of all rows of a run, that
  /// taps may read; and those that are in front of these: boxes begin at
  /// multiples of the unit. Nothing where they differ from block to block; a
  /// run has one box then.
  int64_t margin = 0;
  std::optional<int64_t> front = 0;

  int64_t numTaps() const { return tapRows * tapColumns; }
  /// In shared memory, of so many channels, 16 bits each.
  int64_t getBytes(int64_t channels) const {
    return boxes * boxLength * channels * 2;
  }

  /// An element of each channel, in the order of boxes, without what is in
  /// front of the margin; or nothing: a zero.
  std::optional<int64_t> getElement(int64_t position, int64_t tap) const;
};

/// How `taps` of the filter of a wgrad read blocks of `positions` of images
/// whose input has this view. The error says why no kernel does.
Result<ImageTaps> getImageTaps(const MatrixView &view, const Spatial &taps,
                               int64_t positions);

} // namespace convmlir

#endif // CONV_GEOMETRY_IMAGETAPS_H
