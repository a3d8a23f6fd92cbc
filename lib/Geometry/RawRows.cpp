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

/// Boxes of a tile that begins at this position of an image: the rest of that
/// image, whole ones, and a part of the last.
static int64_t countBoxes(const RawRows &raw, int64_t first) {
  int64_t positions = raw.lines.positions;
  int64_t rows = std::min(raw.rows, positions - first), left = raw.rows - rows;
  int64_t boxes = raw.getBoxesOf(first % kUnit + rows) +
                  left / positions * raw.getBoxesOf(positions);
  return boxes + (left % positions ? raw.getBoxesOf(left % positions) : 0);
}

/// Adds so many tiles that have the boxes of one that begins here.
static void addTiles(RawRows &raw, int64_t first, int64_t tiles) {
  int64_t boxes = countBoxes(raw, first);
  raw.averageBoxes += double(boxes) * double(tiles);
  raw.boxes = std::max(raw.boxes, boxes);
}

Result<RawRows> convmlir::getRawRows(int64_t positions, int64_t rows) {
  // Lines of 32 to 128 bytes, which TMA swizzles.
  constexpr int64_t fewestPositions = 16, mostPositions = 64;
  if (positions < kUnit)
    return Error{"boxes of images need at least " + std::to_string(kUnit) +
                 " positions in each, but there are " +
                 std::to_string(positions)};
  constexpr int64_t most = int64_t(1) << 48; // What takes as many bytes.
  if (positions > most)
    return Error{"images have at most " + std::to_string(most) +
                 " positions, but there are " + std::to_string(positions)};
  RawRows raw{{positions}, rows, fewestPositions, 0};
  while (raw.boxPositions < std::min(mostPositions, raw.lines.getLength()))
    raw.boxPositions *= 2;
  // Tiles begin at multiples of this, in an image as well.
  int64_t step = std::gcd(rows, positions), tiles = positions / step;
  // Of those that end in their image every kUnit-th has as many boxes.
  int64_t inside = rows <= positions ? (positions - rows) / step + 1 : 0;
  for (int64_t tile = 0; tile < std::min(inside, kUnit); ++tile)
    addTiles(raw, tile * step, (inside - tile + kUnit - 1) / kUnit);
  for (int64_t tile = inside; tile < tiles; ++tile)
    addTiles(raw, tile * step, /*tiles=*/1);
  raw.averageBoxes /= double(tiles);
  return raw;
}
