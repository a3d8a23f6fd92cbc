//===- ImageTapsTest.cpp - taps of images as they lie in memory -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes are copied as a kernel copies them, and every tap of every position of
// every block is what the view has there.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/ImageTaps.h"

#include <gtest/gtest.h>

#include <random>

using namespace convmlir;

namespace {

using Kind = ImageTaps::Kind;

/// Of a wgrad's x, of one image. The result has as many rows and columns as it
/// says, whatever the padding at the other end is.
MatrixView makeView(const Spatial &extent, const Spatial &rows,
                    const Spatial &taps, const Spatial &pad = {1, 1, 0},
                    const Spatial &stride = {1, 1, 1},
                    const Spatial &dilation = {1, 1, 1}) {
  MatrixView view;
  view.extent = extent;
  view.rows = rows;
  view.taps = taps;
  view.offset = {-pad[0], -pad[1], 0};
  view.stride = stride;
  view.step = dilation;
  return view;
}

/// Of images with one dimension.
MatrixView makeLine(int64_t extent, int64_t rows, int64_t taps, int64_t pad,
                    int64_t stride = 1, int64_t dilation = 1) {
  MatrixView view;
  view.spatialRank = 1;
  view.extent = {extent, 1, 1};
  view.rows = {rows, 1, 1};
  view.taps = {taps, 1, 1};
  view.offset = {-pad, 0, 0};
  view.stride = {stride, 1, 1};
  view.step = {dilation, 1, 1};
  return view;
}

/// Where the first position of a block meets the first tap of a tile.
struct Start {
  int64_t row = 0;    ///< Of x.
  int64_t column = 0; ///< Without padding.
};

Start getStart(const MatrixView &view, int64_t position, int64_t tapRow) {
  int last = view.spatialRank - 1;
  Start start;
  start.column = position % view.rows[last] * view.stride[last];
  if (last == 1)
    start.row = position / view.rows[1] * view.stride[0] + view.offset[0] +
                tapRow * view.step[0];
  return start;
}

/// One channel of the boxes of a block: positions of the image, counted from 1,
/// and zeros that TMA fills in.
struct Memory {
  std::vector<int64_t> elements;
  int64_t front;
};

Memory copyBoxes(const MatrixView &view, const ImageTaps &block,
                 const Start &start) {
  int last = view.spatialRank - 1;
  int64_t width = view.extent[last], height = last == 1 ? view.extent[0] : 1;
  bool isPart = block.kind == Kind::Part;
  int64_t column0 = isPart ? start.column + view.offset[last] - block.margin
                           : start.row * width - block.margin;
  int64_t first = column0 - block.front.value_or(((column0 % 8) + 8) % 8);
  EXPECT_EQ(first % ImageTaps::kUnit, 0);
  Memory memory;
  memory.front = column0 - first;
  EXPECT_EQ(memory.front % 2, 0); // So that words are what threads load.
  for (int64_t box = 0; box < block.boxes; ++box)
    for (int64_t i = 0; i < block.boxLength; ++i) {
      int64_t at = first + i, row = 0, end = width;
      if (isPart) {
        row = start.row + box * block.boxDistance;
      } else {
        at += box * block.boxDistance;
        end *= height;
      }
      bool isInside = row >= 0 && row < height && at >= 0 && at < end;
      memory.elements.push_back(isInside ? row * width + at + 1 : 0);
    }
  return memory;
}

/// Compares what a kernel would read of each block with the view, of tiles that
/// have some rows of the taps.
void checkBlocks(const MatrixView &view, int64_t tapRows, int64_t positions,
                 const ImageTaps &block) {
  int last = view.spatialRank - 1;
  int64_t rowsOfTaps = last == 1 ? view.taps[0] : 1;
  int64_t perRow = view.taps[last];
  for (int64_t tapRow = 0; tapRow < rowsOfTaps; tapRow += tapRows)
    for (int64_t base = 0; base < view.numRows(); base += positions) {
      Memory memory = copyBoxes(view, block, getStart(view, base, tapRow));
      for (int64_t p = 0; p < positions; ++p)
        for (int64_t tap = 0; tap < block.numTaps(); ++tap) {
          std::optional<int64_t> at = block.getElement(p, tap);
          int64_t value = 0;
          if (at) {
            int64_t element = memory.front + *at;
            ASSERT_GE(element, 0);
            ASSERT_LT(element, int64_t(memory.elements.size()));
            value = memory.elements[element];
          }
          if (base + p >= view.numRows())
            continue; // dy is zero.
          std::optional<int64_t> expected =
              view.element(base + p, tapRow * perRow + tap, 0);
          ASSERT_EQ(value, expected ? *expected + 1 : 0)
              << "block " << base << ", position " << p << ", tap "
              << tapRow * perRow + tap;
        }
    }
}

/// That of a tile with so many rows of the taps, when all its blocks are right.
ImageTaps getChecked(const MatrixView &view, int64_t tapRows,
                     int64_t positions) {
  Spatial taps = view.taps;
  if (view.spatialRank == 2)
    taps[0] = tapRows;
  Result<ImageTaps> block = getImageTaps(view, taps, positions);
  EXPECT_TRUE(block) << block.error();
  if (!block)
    return {};
  EXPECT_EQ(block->numTaps(), tapRows * view.taps[view.spatialRank - 1]);
  // In TMA's box, and with channels in different banks.
  EXPECT_EQ(block->boxLength % 16, 8);
  EXPECT_LE(block->boxLength, 256);
  checkBlocks(view, tapRows, positions, *block);
  return *block;
}

std::string getError(const MatrixView &view, const Spatial &taps,
                     int64_t positions) {
  Result<ImageTaps> block = getImageTaps(view, taps, positions);
  return block ? "" : block.error();
}

TEST(ImageTaps, AreARunOfRows) {
  MatrixView view = makeView({28, 28, 1}, {28, 28, 1}, {3, 3, 1});
  ImageTaps block = getChecked(view, 3, 112);
  EXPECT_EQ(block.kind, Kind::Run);
  EXPECT_EQ(block.rows, 4);
  EXPECT_EQ(block.boxes, 1);
  EXPECT_EQ(block.boxLength, 184); // 6 * 28, one behind them, 2 + 2 in front
  EXPECT_EQ(block.margin, 2);
  EXPECT_EQ(block.front, 2); // 28 + 2 positions before the image
  EXPECT_EQ(block.getBytes(64), 184 * 64 * 2);
}

TEST(ImageTaps, OfOneRowOfTapsMayBeginAnywhere) {
  MatrixView view = makeView({28, 28, 1}, {28, 28, 1}, {3, 3, 1});
  ImageTaps block = getChecked(view, 1, 112);
  EXPECT_EQ(block.kind, Kind::Run);
  EXPECT_FALSE(block.front);
  EXPECT_EQ(block.boxes, 1);
  EXPECT_EQ(block.boxLength, 136); // 112 and 1 + 2 + 6
  // Rows of 56 begin at multiples of 8.
  MatrixView wide = makeView({16, 56, 1}, {16, 56, 1}, {3, 3, 1});
  EXPECT_EQ(getChecked(wide, 1, 112).front, 6);
}

TEST(ImageTaps, AreInBoxesThatFollowEachOther) {
  MatrixView view = makeView({8, 56, 1}, {8, 56, 1}, {3, 3, 1});
  ImageTaps block = getChecked(view, 3, 224);
  EXPECT_EQ(block.boxes, 2);
  EXPECT_EQ(block.boxLength, 184); // 345 = 6 * 56 + 9 in two
  EXPECT_EQ(block.boxDistance, 184);
}

TEST(ImageTaps, OfARunMayHaveAStride) {
  MatrixView view =
      makeView({28, 28, 1}, {14, 14, 1}, {3, 3, 1}, {1, 1, 0}, {2, 2, 1});
  ImageTaps block = getChecked(view, 3, 56);
  EXPECT_EQ(block.kind, Kind::Run);
  EXPECT_EQ(block.rowStride, 56);
  EXPECT_EQ(block.rowStep, 28);
  EXPECT_EQ(block.boxLength, 136); // 9 * 28 and 4 in two
  // Of columns only.
  getChecked(makeView({6, 32, 1}, {6, 16, 1}, {3, 5, 1}, {1, 2, 0}, {1, 2, 1}),
             1, 48);
}

TEST(ImageTaps, AreLinesThatAStrideLeaves) {
  MatrixView view =
      makeView({16, 32, 1}, {8, 16, 1}, {3, 3, 1}, {1, 1, 0}, {2, 2, 1});
  ImageTaps block = getChecked(view, 1, 64);
  EXPECT_EQ(block.kind, Kind::Lines);
  EXPECT_EQ(block.boxes, 4);
  EXPECT_EQ(block.boxDistance, 64);
  EXPECT_EQ(block.front, 6);
  EXPECT_EQ(block.boxLength, 40); // 8 and 32
  EXPECT_EQ(block.rowStride, 40);
  // Every second row begins at a multiple of 8.
  MatrixView rows =
      makeView({28, 28, 1}, {14, 14, 1}, {3, 3, 1}, {1, 1, 0}, {2, 2, 1});
  block = getChecked(rows, 1, 112);
  EXPECT_EQ(block.kind, Kind::Lines);
  EXPECT_FALSE(block.front);
  // Rows that all taps share are not lines.
  EXPECT_EQ(getChecked(view, 3, 64).kind, Kind::Run);
}

TEST(ImageTaps, OfRowsThatNoTapReadsAreRunsWhereRowsBeginAnywhere) {
  MatrixView view =
      makeView({12, 12, 1}, {4, 12, 1}, {3, 3, 1}, {0, 1, 0}, {3, 1, 1});
  ImageTaps block = getChecked(view, 1, 48);
  EXPECT_EQ(block.kind, Kind::Run);
  EXPECT_FALSE(block.front);
}

TEST(ImageTaps, AreOfAPartOfARow) {
  MatrixView view = makeView({6, 64, 1}, {6, 64, 1}, {3, 3, 1});
  ImageTaps block = getChecked(view, 3, 32);
  EXPECT_EQ(block.kind, Kind::Part);
  EXPECT_EQ(block.boxes, 3);
  EXPECT_EQ(block.boxDistance, 1);
  EXPECT_EQ(block.boxLength, 56); // 8 and 33, an odd multiple of 8
  EXPECT_EQ(block.margin, 7);
  EXPECT_EQ(block.rowStep, 56);
  EXPECT_EQ(getChecked(view, 1, 32).boxes, 1);
  // Nothing is in front.
  MatrixView valid = makeView({8, 72, 1}, {6, 64, 1}, {3, 3, 1}, {0, 0, 0});
  EXPECT_EQ(getChecked(valid, 3, 16).margin, 0);
  // Further than a unit.
  MatrixView far = makeView({3, 64, 1}, {3, 64, 1}, {1, 3, 1}, {0, 12, 0},
                            {1, 1, 1}, {1, 12, 1});
  EXPECT_EQ(getChecked(far, 1, 32).margin, 4);
}

TEST(ImageTaps, OfAPartMayHaveAStrideAndDilation) {
  MatrixView view = makeView({8, 128, 1}, {4, 64, 1}, {3, 3, 1}, {2, 2, 0},
                             {2, 2, 1}, {2, 2, 1});
  ImageTaps block = getChecked(view, 3, 32);
  EXPECT_EQ(block.kind, Kind::Part);
  EXPECT_EQ(block.boxDistance, 2);
  EXPECT_EQ(block.boxLength, 88); // 8 and 65
}

TEST(ImageTaps, AreOfOneDimension) {
  ImageTaps block = getChecked(makeLine(64, 64, 3, 1), 1, 64);
  EXPECT_EQ(block.kind, Kind::Run);
  EXPECT_EQ(block.front, 6);
  EXPECT_EQ(block.boxLength, 88); // 8, 64 and 1, an odd multiple of 8
  EXPECT_EQ(getChecked(makeLine(64, 64, 5, 2, 1, 1), 1, 16).kind, Kind::Part);
  getChecked(makeLine(128, 64, 4, 3, 2, 3), 1, 32);
  getChecked(makeLine(48, 48, 3, 0), 1, 48);
}

TEST(ImageTaps, AreThoseOfTheView) {
  std::mt19937_64 rng(7);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  };
  int64_t runs = 0, lines = 0, parts = 0;
  for (int i = 0; i < 4000; ++i) {
    int64_t width = 2 * pick(4, 24);
    int64_t positions = 16 * pick(1, 2);
    bool isPart = pick(0, 2) == 0;
    Spatial rows = {pick(1, 6), width, 1};
    if (isPart)
      rows[1] = pick(2, 3) * positions;
    else if (pick(0, 1))
      rows[1] = 2 * pick(2, 24);
    Spatial taps = {pick(1, 4), pick(1, 4), 1};
    MatrixView view = makeView(
        {pick(1, 8), width, 1}, rows, taps, {pick(-2, 3), pick(-3, 10), 0},
        {pick(1, 3), pick(1, 3), 1}, {pick(1, 3), pick(1, 3), 1});
    if (!isPart)
      positions = pick(1, 3) * rows[1];
    int64_t tapRows = pick(0, 1) ? 1 : taps[0];
    if (!getImageTaps(view, {tapRows, taps[1], 1}, positions))
      continue;
    ImageTaps block = getChecked(view, tapRows, positions);
    runs += block.kind == Kind::Run;
    lines += block.kind == Kind::Lines;
    parts += block.kind == Kind::Part;
    ASSERT_FALSE(HasFailure()) << width << ", " << rows[0] << " x " << rows[1];
  }
  EXPECT_GT(runs, 100);
  EXPECT_GT(lines, 100);
  EXPECT_GT(parts, 100);
}

TEST(ImageTaps, SayWhyTheyAreNotRead) {
  Spatial all = {3, 3, 1};
  MatrixView view = makeView({28, 28, 1}, {28, 28, 1}, all);
  MatrixView volume = view;
  volume.spatialRank = 3;
  EXPECT_EQ(getError(volume, all, 112),
            "images with three dimensions are not read as they lie");
  MatrixView strips = view;
  strips.strips = 2;
  EXPECT_EQ(getError(strips, all, 112),
            "strips of rows are not read as they lie");
  EXPECT_EQ(getError(view, {3, 1, 1}, 112),
            "a tile must have all taps along a row");
  EXPECT_EQ(getError(makeView({8, 16, 1}, {8, 15, 1}, all), all, 120),
            "rows must have an even number of positions, but have 16 and 15");
  EXPECT_EQ(getError(makeView({8, 15, 1}, {8, 16, 1}, all), all, 128),
            "rows must have an even number of positions, but have 15 and 16");
  EXPECT_EQ(getError(makeView({14, 14, 1}, {14, 14, 1}, all), all, 112),
            "images must have a multiple of 8 positions, but they have 196");
  EXPECT_EQ(getError(view, all, 64),
            "blocks of 64 positions must be whole rows of 28, or equal parts "
            "of one");
  EXPECT_EQ(getError(makeLine(32, 32, 3, 1), {3, 1, 1}, 64),
            "blocks of 64 positions must be whole rows of 32, or equal parts "
            "of one");
  EXPECT_EQ(getError(makeView({12, 28, 1}, {12, 28, 1}, all), {1, 3, 1}, 252),
            "rows of 28 positions begin anywhere, so a block must fit into 248 "
            "positions, but has 261");
  EXPECT_EQ(getError(makeView({12, 34, 1}, {12, 32, 1}, all), {3, 3, 1}, 16),
            "parts of rows are of rows of a multiple of 8 positions, not of "
            "34");
  EXPECT_EQ(getError(makeView({8, 512, 1}, {8, 512, 1}, all), all, 256),
            "a part of a row must fit into 248 positions, but has 265");
}

} // namespace
