//===- WindowBlock.cpp - pixels whose taps share one window ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the view of wgrad's input, and how many positions a block has. Output:
// the view whose runs of so many rows are boxes, and the box.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/WindowBlock.h"
#include "Saturating.h"
#include "conv/Geometry/TmaView.h"

#include <limits>
#include <string>

using namespace convmlir;

/// Lines of gemm-k that follow each other; those of one instruction.
static constexpr int64_t kGroup = 8, kStep = 16;

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int64_t WindowBlock::getPositions() const {
  int64_t positions = images;
  for (int d = 0; d < spatialRank; ++d)
    positions *= box[d];
  return positions;
}

int64_t WindowBlock::getWindowLines() const {
  if (packed)
    return packed->packedLines;
  int64_t lines = images;
  for (int d = 0; d < spatialRank; ++d)
    lines *= window[d];
  return lines;
}

Result<Spatial> convmlir::getTapBox(const Spatial &taps, int spatialRank,
                                    int64_t number) {
  Spatial box{1, 1, 1};
  int64_t left = number;
  for (int d = spatialRank - 1; d >= 0 && left > 1; --d) {
    bool isWhole = left >= taps[d];
    if ((isWhole ? left % taps[d] : taps[d] % left) != 0)
      return Error{std::to_string(number) +
                   " taps one after the other are no box of the filter"};
    box[d] = isWhole ? taps[d] : left;
    left = isWhole ? left / taps[d] : 1;
  }
  if (left != 1)
    return Error{std::to_string(number) + " taps are more than the filter has"};
  return box;
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

namespace {

/// Tries the extents of a box, the innermost first.
class BlockSearch {
public:
  BlockSearch(const MatrixView &view, const Spatial &taps)
      : view(view), taps(taps) {}

  void tryPartOfRow(int64_t positions);
  void tryInnermost(int64_t positions);
  bool isFound() const { return leastRows < kNone; }
  const MatrixView &getBest() const { return best; }

private:
  bool fits(int d, int64_t extent) const {
    return (extent - 1) * view.stride[d] + (taps[d] - 1) * view.step[d] <
           kMaxBoxExtent;
  }
  void tryOuter(const MatrixView &padded, int d, int64_t left);
  void propose(const MatrixView &padded, int64_t images);

  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  const MatrixView &view;
  const Spatial &taps;
  MatrixView best;
  int64_t leastRows = kNone;
};

} // namespace

/// The first of several that pad as much is that with the longest rows.
void BlockSearch::propose(const MatrixView &padded, int64_t images) {
  int64_t rows = roundUp(view.batch, images) * padded.strips;
  for (int d = 0; d < view.spatialRank; ++d)
    rows = saturatingMul(rows, padded.rows[d]);
  if (rows >= leastRows)
    return;
  leastRows = rows;
  best = padded;
}

/// Dimension `d` and those outside of it have `left` positions of the box. Less
/// than a dimension's rows divide it; more are whole and go on outside.
void BlockSearch::tryOuter(const MatrixView &padded, int d, int64_t left) {
  if (d < 0) {
    // A strip ends before the image does.
    if (left == 1 || (padded.strips == 1 && left <= kMaxBoxExtent))
      propose(padded, left);
    return;
  }
  MatrixView next = padded;
  if (left < view.rows[d]) {
    next.rows[d] = roundUp(view.rows[d], left);
    if (fits(d, left))
      tryOuter(next, -1, 1);
    return;
  }
  for (int64_t extent = view.rows[d]; extent <= left; ++extent) {
    if (left % extent != 0 || !fits(d, extent))
      continue;
    next.rows[d] = extent;
    tryOuter(next, d - 1, left / extent);
  }
}

/// A row of whole blocks needs no strips: positions keep their order.
void BlockSearch::tryPartOfRow(int64_t positions) {
  int last = view.spatialRank - 1;
  if (view.rows[last] % positions == 0 && fits(last, positions))
    propose(view, /*images=*/1);
}

void BlockSearch::tryInnermost(int64_t positions) {
  int last = view.spatialRank - 1;
  for (int64_t extent = kMaxBoxExtent; extent > 0; extent -= kGroup) {
    if (positions % extent != 0 || !fits(last, extent))
      continue;
    MatrixView padded = view;
    padded.rows[last] = extent;
    padded.strips = (view.rows[last] + extent - 1) / extent;
    tryOuter(padded, last - 1, positions / extent);
  }
}

static bool hasStride(const MatrixView &view) {
  for (int d = 0; d < view.spatialRank; ++d)
    if (view.stride[d] != 1)
      return true;
  return false;
}

static Status checkView(const MatrixView &view, int64_t positions,
                        BlockUse use) {
  if (view.numTaps() < 2)
    return Error{"a window is for several taps, but there is one"};
  for (int d = 0; d < view.spatialRank; ++d)
    if (view.rows[d] < 1)
      return Error{"a window is for output positions, but there is none"};
  for (int d = 0; d < view.spatialRank; ++d)
    if (view.stride[d] != 1 && !use.isWritten)
      return Error{"a window needs stride 1, but spatial dimension " +
                   std::to_string(d) + " has " +
                   std::to_string(view.stride[d])};
  if (hasStride(view) && view.spatialRank != 2)
    return Error{"a window of wgrad with a stride is for images of two "
                 "dimensions, not of " +
                 std::to_string(view.spatialRank)};
  if (positions < kStep || positions % kStep != 0)
    return Error{"the positions of a block must be a multiple of " +
                 std::to_string(kStep) + ", but are " +
                 std::to_string(positions)};
  return {};
}

Result<MatrixView> convmlir::padToBlocks(const MatrixView &view,
                                         const Spatial &taps, int64_t positions,
                                         BlockUse use) {
  if (Status status = checkView(view, positions, use); !status)
    return status.takeError();
  BlockSearch search(view, taps);
  if (use.keepsOrder)
    search.tryPartOfRow(positions);
  search.tryInnermost(positions);
  if (!search.isFound())
    return Error{"no box of " + std::to_string(positions) +
                 " positions has a window of at most " +
                 std::to_string(kMaxBoxExtent) + " in each dimension"};
  return search.getBest();
}

int64_t convmlir::countBlocks(const MatrixView &padded, int64_t positions) {
  return (padded.numRows() + positions - 1) / positions;
}

/// Rows of the box have the columns of padding that taps reach to themselves,
/// since dy has as many columns as the box.
static WindowTile packWindow(const MatrixView &padded, const Spatial &taps,
                             const WindowBlock &block) {
  WindowTile tile;
  tile.spatialRank = block.spatialRank;
  tile.tile = block.box;
  tile.window = block.window;
  tile.pitch = block.box[1] + (taps[1] - 1) * padded.step[1] / padded.stride[1];
  MatrixView view = padded;
  view.taps = taps;
  packLines(tile, view);
  tile.packedLines = roundUp(tile.packedLines, tile.pitch);
  return tile;
}

Result<WindowBlock> convmlir::getWindowBlock(const MatrixView &padded,
                                             const Spatial &taps,
                                             int64_t positions) {
  WindowBlock block;
  block.spatialRank = padded.spatialRank;
  int64_t left = positions;
  for (int d = padded.spatialRank - 1; d >= 0; --d) {
    int64_t rows = padded.rows[d];
    bool isWhole = left >= rows;
    if ((isWhole ? left % rows : rows % left) != 0)
      return Error{std::to_string(positions) +
                   " rows of the view are no box of positions"};
    block.box[d] = isWhole ? rows : left;
    left = isWhole ? left / rows : 1;
    block.window[d] = (block.box[d] - 1) * padded.stride[d] +
                      (taps[d] - 1) * padded.step[d] + 1;
  }
  if (left > 1 && padded.strips > 1)
    return Error{std::to_string(positions) +
                 " rows of the view reach over its strips"};
  block.images = left;
  if (!hasStride(padded))
    return block;
  if (left > 1)
    return Error{"a window of wgrad with a stride is of one image, not of " +
                 std::to_string(left)};
  block.packed = packWindow(padded, taps, block);
  return block;
}
