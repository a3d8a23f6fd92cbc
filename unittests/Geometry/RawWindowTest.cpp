//===- RawWindowTest.cpp - boxes that hold a window, channels first -------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes have all positions of a window, wherever its tile is, and are as few as
// TMA allows.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/RawWindow.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

/// 3x3 taps with `pad` positions of padding around the image.
MatrixView makeView(int64_t height, int64_t width, int64_t pad = 1) {
  MatrixView view;
  view.extent = {height, width, 1};
  view.rows = {height + 2 * pad - 2, width + 2 * pad - 2, 1};
  view.taps = {3, 3, 1};
  view.offset = {-pad, -pad, 0};
  return view;
}

RawWindow getRaw(const MatrixView &view, int64_t tileRows) {
  return *getRawWindow(view, *getWindowTile(view, tileRows));
}

TEST(RawWindow, IsAllPositionsOfRowsWithinATile) {
  RawWindow raw = getRaw(makeView(28, 28), 128);
  EXPECT_TRUE(raw.isFlat);
  EXPECT_EQ(raw.runs, 1);
  EXPECT_EQ(raw.rows, 4);
  EXPECT_EQ(raw.width, 28);
  EXPECT_EQ(raw.column, 1);
  // Four rows, and four positions in front of an odd one, in two boxes.
  EXPECT_EQ(raw.getBoxes(), 2);
  EXPECT_EQ(raw.boxPositions, 64);
  EXPECT_EQ(raw.lastPositions, 64);
  EXPECT_EQ(raw.getBytes(64), 2 * 64 * 64 * 2);
}

TEST(RawWindow, HasFewPanelsAndFewPositions) {
  for (int64_t width = 1; width <= 64; ++width)
    for (int64_t tileRows : {64, 128, 192, 256}) {
      RawWindow raw = getRaw(makeView(16, width), tileRows);
      int64_t run =
          (raw.boxesPerRun - 1) * raw.boxPositions + raw.lastPositions;
      EXPECT_EQ(raw.getBytes(32), run * 64);
      EXPECT_EQ(raw.boxPositions & (raw.boxPositions - 1), 0);
      EXPECT_LE(raw.boxPositions, 128);
      EXPECT_LE(raw.lastPositions, raw.boxPositions);
      EXPECT_EQ(raw.lastPositions % 16, 0);
      EXPECT_LT(run, raw.rows * width + 7 + 32);
      // Whatever the tile begins at.
      for (int64_t tile = 0; tile < 8; ++tile) {
        int64_t first = (tile * (tileRows / 64) - 1) * width;
        int64_t inFront = (first % 8 + 8) % 8;
        EXPECT_GE(run, inFront + raw.rows * width);
      }
    }
}

TEST(RawWindow, IsInBoxesThatFollowEachOther) {
  RawWindow raw = getRaw(makeView(64, 64), 256);
  EXPECT_EQ(raw.runs, 1);
  EXPECT_EQ(raw.boxesPerRun, 3); // 384 positions
  EXPECT_EQ(raw.boxPositions, 128);
  EXPECT_EQ(raw.lastPositions, 128);
}

TEST(RawWindow, HasABoxForEachRowOfSeveralTiles) {
  RawWindow raw = getRaw(makeView(5, 72), 128);
  EXPECT_FALSE(raw.isFlat);
  EXPECT_EQ(raw.runs, 4);
  EXPECT_EQ(raw.rows, 1);
  EXPECT_EQ(raw.width, 66);
  EXPECT_EQ(raw.column, 0);
  // Seven positions in front of column -1.
  EXPECT_TRUE(raw.isDense());
  EXPECT_EQ(raw.boxPositions, 88);
  EXPECT_EQ(raw.lastPositions, 88);
  EXPECT_EQ(raw.getBoxes(), 4);
  // A column more of padding would make the rows wider than a tile.
  EXPECT_TRUE(getRaw(makeView(5, 64), 128).isFlat);
  EXPECT_FALSE(getRaw(makeView(5, 64, 2), 128).isFlat);
}

TEST(RawWindow, HasAllRowsOfPhases) {
  MatrixView view = makeView(28, 28);
  view.rows = {14, 14, 1};
  view.stride = {2, 2, 1};
  WindowTile tile = *getWindowTile(view, 128, /*isWritten=*/true);
  RawWindow raw = *getRawWindow(view, tile);
  EXPECT_TRUE(raw.isFlat);
  EXPECT_EQ(raw.rows, 17);
  EXPECT_EQ(raw.width, 28);
  EXPECT_EQ(raw.column, 1);
}

TEST(RawWindow, OfOneDimension) {
  MatrixView line;
  line.spatialRank = 1;
  line.extent = {304, 1, 1};
  line.rows = {304, 1, 1};
  line.taps = {5, 1, 1};
  line.offset = {-2, 0, 0};
  RawWindow raw = getRaw(line, 192);
  EXPECT_FALSE(raw.isFlat);
  EXPECT_EQ(raw.getBoxes(), 2);
  EXPECT_EQ(raw.width, 196);
  EXPECT_EQ(raw.boxPositions, 104);
}

TEST(RawWindow, RefusesWhatTmaCannotCopy) {
  for (const MatrixView &view : {makeView(7, 7), makeView(8, 65)}) {
    auto raw = getRawWindow(view, *getWindowTile(view, 64));
    ASSERT_FALSE(raw);
    EXPECT_NE(raw.error().find("multiple of 8 positions"), std::string::npos);
  }
  MatrixView volume = makeView(8, 8);
  volume.spatialRank = 3;
  auto raw = getRawWindow(volume, *getWindowTile(volume, 64));
  ASSERT_FALSE(raw);
  EXPECT_EQ(raw.error(),
            "gather has windows of one and two dimensions, not of 3");
}

/// A block of `rows` rows of an image, for tiles with `taps` of 3x3.
Result<RawWindow> getRaw(const MatrixView &view, int64_t rows,
                         const Spatial &taps) {
  WindowBlock block;
  block.box = {rows, view.rows[1], 1};
  block.window = {rows + taps[0] - 1, view.rows[1] + taps[1] - 1, 1};
  return getRawWindow(view, taps, block);
}

TEST(RawWindow, OfABlockHasItsRows) {
  RawWindow raw = *getRaw(makeView(28, 56), 2, {3, 3, 1});
  EXPECT_TRUE(raw.isFlat);
  EXPECT_EQ(raw.rows, 4);
  EXPECT_EQ(raw.column, 1);
  EXPECT_EQ(raw.getBoxes(), 2);
  EXPECT_EQ(raw.boxPositions, 128);
  EXPECT_EQ(raw.lastPositions, 96);
}

TEST(RawWindow, OfARowOfTapsMayBeginAtAnyRow) {
  // Rows of 12: those of all taps begin 12, 36 and so on positions in front of
  // or behind an image, and those of one row of them anywhere between.
  auto getRun = [](const MatrixView &view, int64_t rows, const Spatial &taps) {
    return getRaw(view, rows, taps)->getBytes(1) / 2;
  };
  MatrixView odd = makeView(16, 9);
  EXPECT_EQ(getRun(makeView(12, 12), 2, {3, 3, 1}), 32 + 32); // 48, 4 in front
  EXPECT_EQ(getRun(odd, 8, {3, 3, 1}), 64 + 64); // 90 and 7 in front
  EXPECT_EQ(getRun(odd, 8, {1, 3, 1}), 64 + 16); // 72 and up to 7
}

TEST(RawWindow, OfSomeTapsOfARowHasRowsOfItsOwn) {
  RawWindow raw = *getRaw(makeView(16, 16), 4, {3, 1, 1});
  EXPECT_FALSE(raw.isFlat);
  EXPECT_EQ(raw.runs, 6);
  EXPECT_EQ(raw.width, 16);
  EXPECT_FALSE(getRaw(makeView(16, 12), 4, {3, 1, 1}));
}

TEST(RawWindow, OfABlockWithAStride) {
  // 28x28, and rows of x as far apart as the stride says.
  MatrixView view = makeView(14, 14);
  view.stride = {2, 2, 1};
  view.extent = {28, 28, 1};
  auto padded = padToBlocks(view, {3, 3, 1}, 64, {.isWritten = true});
  ASSERT_TRUE(padded) << padded.error();
  auto block = getWindowBlock(*padded, {3, 3, 1}, 64);
  ASSERT_TRUE(block) << block.error();
  auto raw = getRawWindow(*padded, {3, 3, 1}, *block);
  ASSERT_TRUE(raw) << raw.error();
  EXPECT_TRUE(raw->isFlat);
  EXPECT_EQ(raw->rows, 9); // of four rows of the result
  EXPECT_EQ(raw->width, 28);
  WindowTile tile = getWindowTile(*padded, {3, 3, 1}, *block);
  EXPECT_TRUE(tile.isPacked);
  EXPECT_EQ(tile.getDistance(0), 8);
  // A row of taps begins at every second row of the image.
  EXPECT_EQ(getWindowTile(*padded, {1, 3, 1}, *block).getDistance(0), 1);
  EXPECT_FALSE(getRawWindow(*padded, {3, 1, 1}, *block));
}

TEST(RawWindow, BeginsAtASectorWhereThatIsFree) {
  // The first of six rows of 56 is 56 positions in front of an image.
  RawWindow raw = *getRaw(makeView(28, 56), 4, {3, 3, 1});
  EXPECT_EQ(raw.unit, 16);
  EXPECT_EQ(raw.boxesPerRun, 3);
  EXPECT_EQ(raw.lastPositions, 96); // 8 + 6 * 56 - 256 = 88
  // Four rows of 56 would be a box more.
  EXPECT_EQ(getRaw(makeView(28, 56), 2, {3, 3, 1})->unit, 8);
  // Images, or tiles, begin at half of a sector.
  EXPECT_EQ(getRaw(makeView(27, 56), 4, {3, 3, 1})->unit, 8);
  EXPECT_EQ(getRaw(makeView(24, 24), 3, {3, 3, 1})->unit, 8);
}

TEST(RawWindow, WithoutTapsIsOneBox) {
  MatrixView view = makeView(28, 28);
  view.taps = {1, 1, 1};
  view.offset = {0, 0, 0};
  RawWindow raw = *getRaw(view, 4, {1, 1, 1});
  EXPECT_EQ(raw.getBoxes(), 1);
  EXPECT_EQ(raw.lastPositions, 128); // 112
}

TEST(RawWindow, IsOfOneImage) {
  WindowBlock block;
  block.images = 2;
  block.box = block.window = {8, 8, 1};
  EXPECT_FALSE(getRawWindow(makeView(8, 8), {3, 3, 1}, block));
}

} // namespace
