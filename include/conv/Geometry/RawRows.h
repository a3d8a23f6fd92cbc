//===- RawRows.h - positions of images as they lie --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run of positions of a tensor with channels first, [image, channel,
// position] of 16-bit elements, over the ends of images: the boxes in which TMA
// copies it, however many positions an image has.
//
// TMA begins at multiples of 16 bytes, and so do its strides, but channels of
// 14x14 or 7x7 positions do not; and lines that begin at no multiple of 32
// bytes, a sector, come slowly. Channels are in classes: `g` neighbours, of
// which the first begins at such a multiple whatever the image. So the tensor
// is [image, channel / g, channel mod g, position] with a stride of 16 (P / 16)
// elements between the classes, P positions in an image: class i then begins
// i (P mod 16) positions in front of its channel's first. Such lines are
// *skewed*.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_GEOMETRY_RAWROWS_H
#define CONV_GEOMETRY_RAWROWS_H

#include "conv/Support/Result.h"

#include <cstdint>
#include <numeric>

namespace convmlir {

/// Channels of images with so many positions, as lines that TMA can copy.
struct SkewedLines {
  /// Positions in 32 bytes, at multiples of which lines begin.
  static constexpr int64_t kUnit = 16;

  int64_t positions;

  /// Neighbouring channels that differ: a power of two, at most kUnit.
  int64_t getClasses() const { return kUnit / std::gcd(kUnit, positions); }
  /// Elements in front of a channel of the class.
  int64_t getSkew(int64_t channelClass) const {
    return channelClass * (positions % kUnit);
  }
  int64_t getMostSkew() const { return getSkew(getClasses() - 1); }
  /// Elements of a line, with what is in front of its channel.
  int64_t getLength() const { return positions + getMostSkew(); }
};

/// The boxes [channel, position] of a tile's rows, of equal size, one panel
/// each (SharedTile.h). An image has as many of them, one behind the other, as
/// the tile's rows of it need; those of the next image follow.
struct RawRows {
  SkewedLines lines;
  int64_t rows;         ///< Of a tile.
  int64_t boxPositions; ///< Of a line of a box: at most 128 bytes.
  int64_t boxes;        ///< Of a tile, at most.
  double averageBoxes = 0;

  /// In shared memory, of so many channels.
  int64_t getBoxBytes(int64_t channels) const {
    return boxPositions * channels * 2;
  }
  int64_t getBytes(int64_t channels) const {
    return boxes * getBoxBytes(channels);
  }
  /// Boxes that hold so many positions from the beginning of one on.
  int64_t getBoxesOf(int64_t positions) const {
    return (positions + lines.getMostSkew() + boxPositions - 1) / boxPositions;
  }
  /// Neighbouring positions, a power of two, that are neighbours in boxes and
  /// tiles alike and aligned to their number in both.
  int64_t getRun() const {
    constexpr int64_t most = 8; // 16 bytes
    return std::gcd(most, lines.positions);
  }
};

/// Boxes of images with so many positions, for tiles of `rows` of them that
/// begin at multiples of `rows`. The first box of the first image begins at the
/// multiple of kUnit at or below the tile's first position, those of all others
/// with their image. An error where TMA cannot copy them.
Result<RawRows> getRawRows(int64_t positions, int64_t rows);

} // namespace convmlir

#endif // CONV_GEOMETRY_RAWROWS_H
