//===- FilterBands.h - depthwise images on tensor cores ------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a kernel of tensor cores divides a depthwise forward or dgrad. One
// instruction has one channel, one line of x and one line r of the filter:
//
//   y[pair, n] += sum over k of x[pair, k] * f[k - n]
//
// Its rows are 16 pairs of an image and a tile of a few columns of y, its
// columns are those of the tile, and f[k - n] is a matrix with a band: the taps
// of the line, zeros elsewhere. A line of x is multiplied with all lines of the
// filter, which gives a part of as many lines of y.
//
// A workgroup has some images, a band of lines, a strip of tiles and some
// channels. In dgrad y is dx, and x is dy.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_FILTERBANDS_H
#define CONV_SCHEDULE_SHAPE_FILTERBANDS_H

#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Shape/Bands.h"

namespace mlir::conv {

struct FilterBands : Bands {
  static constexpr int64_t kPairs = 16; ///< Of an instruction.

  FilterBands(const DepthwiseSum &form, ScheduleAttr schedule);

  /// Of the pairs of a workgroup: tiles of a line, and images.
  int64_t countTiles() const;
  int64_t countImages() const;
  int64_t getStripColumns() const { return countTiles() * columns; }
  /// What a workgroup has of y: images, lines, columns, channels.
  std::array<int64_t, 4> getTile() const;

  int64_t countGroups() const; ///< Of images.
  int64_t countStrips() const;
  int64_t countWorkgroups() const;

  /// The first line (column) of x that the first line (column) of y reads.
  int64_t getFirst(int dim) const;
  /// Whether the taps of the dimension are in memory from the last one on.
  bool isTurned(int dim) const { return view.step[dim] < 0; }
  /// Lines of x that the band at the first line of y walks down.
  int64_t countSteps() const;

  /// Columns of x that the taps of a strip read.
  int64_t getColumnsOfX() const {
    return getStripColumns() + getLineTaps() - 1;
  }
  int64_t getStageElements() const {
    return countImages() * getColumnsOfX() * channels;
  }

  /// Places of a line of y that a workgroup stores, columns of all its pairs.
  int64_t countPlaces() const { return countImages() * getStripColumns(); }
  /// Lines of y that wait in shared memory for their chunks to be whole. A
  /// thread that has whole chunks of a place stores them, and so does one with
  /// results that are wider than operands.
  static constexpr int64_t kWaitingLines = 2;
  bool hasWholeChunks() const {
    return getWarpChannels() * kElementBytes >= convmlir::kChunkBytes;
  }
  /// Of a line that waits.
  int64_t getLineElements() const { return countPlaces() * channels; }

  int64_t getSharedBytes() const {
    int64_t waiting = hasWholeChunks() ? 0 : kWaitingLines * getLineElements();
    return (stages * getStageElements() + waiting) * kElementBytes;
  }
};

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_FILTERBANDS_H
