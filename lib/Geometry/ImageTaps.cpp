//===- ImageTaps.cpp - taps of images as they lie in memory ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/ImageTaps.h"

#include <algorithm>
#include <string>

using namespace convmlir;

static constexpr int64_t kUnit = ImageTaps::kUnit, kWord = 2;
/// Of a box: TMA has at most 256.
static constexpr int64_t kLongestBox = 31 * kUnit;

std::optional<int64_t> ImageTaps::getElement(int64_t position,
                                             int64_t tap) const {
  int64_t at =
      column + position % width * columnStride + tap % tapColumns * columnStep;
  if (at < 0 || at >= extent)
    return std::nullopt;
  return margin + position / width * rowStride + tap / tapColumns * rowStep +
         at;
}

static int64_t alignUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// An odd multiple of the unit: so eight channels lie in different banks.
static int64_t getBoxLength(int64_t positions) {
  int64_t units = (positions + kUnit - 1) / kUnit;
  return (units + (units % 2 == 0 ? 1 : 0)) * kUnit;
}

/// Sets margin and front of boxes whose column 0 is at multiples of the unit
/// behind `start`, or anywhere.
static void setFront(ImageTaps &block, std::optional<int64_t> start) {
  block.margin = alignUp(std::max<int64_t>(-block.column, 0), kWord);
  block.front.reset();
  if (start)
    block.front = ((*start - block.margin) % kUnit + kUnit) % kUnit;
}

/// Positions of a box from its beginning to this column, counted through rows.
static int64_t countPositions(const ImageTaps &block, int64_t last) {
  return block.front.value_or(kUnit - kWord) + block.margin + last + 1;
}

static int64_t getLastColumn(const ImageTaps &block) {
  return block.column + (block.width - 1) * block.columnStride +
         (block.tapColumns - 1) * block.columnStep;
}

/// Rows between two that dy has are not loaded.
static Result<ImageTaps> getLines(ImageTaps block) {
  block.kind = ImageTaps::Kind::Lines;
  setFront(block, block.extent % kUnit == 0 ? std::optional<int64_t>(0)
                                            : std::nullopt);
  block.boxes = block.rows;
  block.boxDistance = block.rowStride;
  int64_t positions = countPositions(block, getLastColumn(block));
  block.boxLength = getBoxLength(positions);
  block.rowStride = block.boxLength;
  if (block.boxLength > kLongestBox)
    return Error{"a row must fit into " + std::to_string(kLongestBox) +
                 " positions where a stride leaves others out, but has " +
                 std::to_string(positions)};
  return block;
}

/// All rows. `start` is where rows begin: at multiples of the unit behind that,
/// or anywhere.
static Result<ImageTaps> getRun(ImageTaps block, std::optional<int64_t> start) {
  setFront(block, start);
  int64_t positions = countPositions(
      block, (block.rows - 1) * block.rowStride +
                 (block.tapRows - 1) * block.rowStep + getLastColumn(block));
  block.boxes = (positions + kLongestBox - 1) / kLongestBox;
  block.boxLength = getBoxLength((positions + block.boxes - 1) / block.boxes);
  block.boxDistance = block.boxLength;
  if (block.boxes > 1 && !start)
    return Error{"rows of " + std::to_string(block.extent) +
                 " positions begin anywhere, so a block must fit into " +
                 std::to_string(kLongestBox) + " positions, but has " +
                 std::to_string(positions)};
  return block;
}

/// `positions` of a row. Boxes begin at multiples of the unit, and TMA fills
/// what is beside the row.
static Result<ImageTaps> getPart(ImageTaps block, int64_t positions) {
  if (block.extent % kUnit != 0)
    return Error{"parts of rows are of rows of a multiple of 8 positions, not "
                 "of " +
                 std::to_string(block.extent)};
  block.kind = ImageTaps::Kind::Part;
  block.width = positions;
  int64_t before = alignUp(std::max<int64_t>(-block.column, 0), kUnit);
  int64_t length = before + getLastColumn(block) + 1;
  block.boxes = block.tapRows;
  block.boxLength = getBoxLength(length);
  block.boxDistance = block.rowStep / block.extent;
  block.margin = before + block.column;
  block.rowStep = block.boxLength;
  block.extent = std::numeric_limits<int64_t>::max();
  block.column = 0;
  if (block.boxLength > kLongestBox)
    return Error{"a part of a row must fit into " +
                 std::to_string(kLongestBox) + " positions, but has " +
                 std::to_string(length)};
  return block;
}

Result<ImageTaps> convmlir::getImageTaps(const MatrixView &view,
                                         const Spatial &taps,
                                         int64_t positions) {
  int last = view.spatialRank - 1;
  if (last > 1)
    return Error{"images with three dimensions are not read as they lie"};
  if (view.strips != 1)
    return Error{"strips of rows are not read as they lie"};
  if (taps[last] != view.taps[last])
    return Error{"a tile must have all taps along a row"};
  ImageTaps block;
  block.width = view.rows[last];
  block.tapColumns = taps[last];
  block.extent = view.extent[last];
  block.column = view.offset[last];
  block.columnStride = view.stride[last];
  block.columnStep = view.step[last];
  block.rowStride = block.extent;
  if (last > 0) {
    block.tapRows = taps[0];
    block.rowStride = view.stride[0] * block.extent;
    block.rowStep = view.step[0] * block.extent;
  }
  // Two elements of a word are neighbours in one row of dy.
  if (block.width % kWord != 0 || block.extent % kWord != 0)
    return Error{"rows must have an even number of positions, but have " +
                 std::to_string(block.extent) + " and " +
                 std::to_string(block.width)};
  int64_t image = block.extent * (last == 0 ? 1 : view.extent[0]);
  if (image % kUnit != 0)
    return Error{"images must have a multiple of 8 positions, but they have " +
                 std::to_string(image)};
  if (positions < block.width && block.width % positions == 0)
    return getPart(block, positions);
  if (positions % block.width != 0 || (last == 0 && positions != block.width))
    return Error{"blocks of " + std::to_string(positions) +
                 " positions must be whole rows of " +
                 std::to_string(block.width) + ", or equal parts of one"};
  block.rows = positions / block.width;
  if (last == 0)
    return getRun(block, /*start=*/0);
  if (block.tapRows == 1 && view.stride[0] > 1 && block.rowStride % kUnit == 0)
    return getLines(block);
  bool isAligned =
      block.rows * block.rowStride % kUnit == 0 &&
      (taps[0] == view.taps[0] || block.tapRows * block.rowStep % kUnit == 0);
  std::optional<int64_t> start;
  if (isAligned)
    start = view.offset[0] * block.extent;
  return getRun(block, start);
}
