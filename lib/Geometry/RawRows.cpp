//===- RawRows.cpp - positions of images as they lie ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: positions of an image, rows of a tile. Output: the boxes that hold
// the rows, or the limit of TMA that is in the way.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/RawRows.h"

#include <algorithm>
#include <string>

using namespace convmlir;

static constexpr int64_t kUnit = SkewedLines::kUnit;

/// Adds the boxes of a tile that begins at this position of an image.
static void addBoxes(RawRows &raw, int64_t first) {
  int64_t positions = raw.lines.positions, boxes = 0;
  for (int64_t left = raw.rows; left > 0;) {
    int64_t rows = std::min(left, positions - first);
    int64_t start = first / kUnit * kUnit;
    boxes += raw.getBoxesOf(first - start + rows);
    left -= rows;
    first = 0;
  }
  raw.averageBoxes += boxes;
  raw.boxes = std::max(raw.boxes, boxes);
}

Result<RawRows> convmlir::getRawRows(int64_t positions, int64_t rows) {
  // Lines of 32 to 128 bytes, which TMA swizzles.
  constexpr int64_t fewestPositions = 16, mostPositions = 64;
  if (positions < kUnit)
    return Error{"boxes of images need at least " + std::to_string(kUnit) +
                 " positions in each, but there are " +
                 std::to_string(positions)};
  RawRows raw{{positions}, rows, fewestPositions, 0};
  while (raw.boxPositions < std::min(mostPositions, raw.lines.getLength()))
    raw.boxPositions *= 2;
  // Tiles begin at multiples of this, in an image as well.
  int64_t step = std::gcd(rows, positions);
  for (int64_t first = 0; first < positions; first += step)
    addBoxes(raw, first);
  raw.averageBoxes /= double(positions / step);
  return raw;
}
