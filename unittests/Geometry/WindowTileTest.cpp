//===- WindowTileTest.cpp - windows, and rows in whole tiles --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The window of a tile holds what each of its rows reads, a block of 64 rows on
// consecutive lines; padded rows name the positions of the result, each once.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/WindowTile.h"

#include <gtest/gtest.h>
#include <set>

using namespace convmlir;

namespace {

/// 3x2 taps, one row and two columns of padding, dilation 2 along the rows.
MatrixView makeView(int64_t height, int64_t width) {
  MatrixView view;
  view.batch = 2;
  view.channels = 3;
  view.extent = {height, width, 1};
  view.rows = {height - 2, width + 1, 1};
  view.taps = {3, 2, 1};
  view.step = {2, 1, 1};
  view.offset = {-1, -1, 0};
  return view;
}

/// Coordinates [image, h, w] that a row and tap of the view name, in the tensor
/// or not.
std::array<int64_t, 3> getPosition(const MatrixView &view, int64_t row,
                                   int64_t tap) {
  int64_t w = row % view.rows[1], h = row / view.rows[1] % view.rows[0];
  int64_t rest = row / view.rows[1] / view.rows[0];
  w += rest % view.strips * view.rows[1];
  return {rest / view.strips,
          h + tap / view.taps[1] * view.step[0] + view.offset[0],
          w + tap % view.taps[1] * view.step[1] + view.offset[1]};
}

TEST(WindowTile, HasTheReachOfTheTaps) {
  WindowTile tile = *getWindowTile(makeView(20, 100), 256);
  EXPECT_EQ(tile.tile, (Spatial{4, 64, 1}));
  EXPECT_EQ(tile.window, (Spatial{8, 65, 1}));
  EXPECT_EQ(tile.getLines(), 520);
  EXPECT_EQ(getWindowTile(makeView(20, 100), 64)->getLines(), 325);
  EXPECT_EQ(getWindowTile(makeView(20, 100), 64)->getSlotLines(), 328);
}

TEST(WindowTile, OfEveryRank) {
  MatrixView line;
  line.spatialRank = 1;
  line.taps = {5, 1, 1};
  line.step = {3, 1, 1};
  EXPECT_EQ(getWindowTile(line, 128)->window[0], 140);
  MatrixView volume;
  volume.spatialRank = 3;
  volume.taps = {3, 1, 3};
  WindowTile tile = *getWindowTile(volume, 192);
  EXPECT_EQ(tile.tile, (Spatial{1, 3, 64}));
  EXPECT_EQ(tile.window, (Spatial{3, 3, 66}));
}

TEST(WindowTile, DenseTilesAreBoxesOfAnyWidth) {
  // 56 columns and 58 of the window, 4 rows: 230 lines are 232 columns.
  MatrixView view;
  view.batch = 1;
  view.rows = view.extent = {56, 56, 1};
  view.taps = {3, 3, 1};
  WindowTile tile = *getDenseWindowTile(view, 224, 1);
  EXPECT_EQ(tile.tile, (Spatial{4, 56, 1}));
  EXPECT_EQ(tile.window, (Spatial{6, 58, 1}));
  EXPECT_EQ(tile.getPartLines(), 232);
  // The last tap's instruction reads two lines behind the window.
  EXPECT_EQ(tile.getLines(), 348);
  EXPECT_EQ(tile.getSlotLines(), 352);
  // Narrow boxes have fewer lines, but more rows, which count where channels
  // are first.
  EXPECT_EQ(getDenseWindowTile(view, 112, 1)->tile, (Spatial{4, 28, 1}));
  EXPECT_EQ(getDenseWindowTile(view, 112, 1, /*isChannelsFirst=*/true)->tile,
            (Spatial{2, 56, 1}));
  // Eight rows in two parts.
  tile = *getDenseWindowTile(view, 448, 2);
  EXPECT_EQ(tile.tile, (Spatial{8, 56, 1}));
  EXPECT_EQ(tile.getPartLines(), 232);
  // A row of 224 has no padding between rows, but a window three times as
  // large.
  view.rows = view.extent = {224, 224, 1};
  EXPECT_EQ(getDenseWindowTile(view, 224, 1)->tile, (Spatial{4, 56, 1}));
  MatrixView line;
  line.spatialRank = 1;
  line.rows = {90, 1, 1};
  line.taps = {5, 1, 1};
  tile = *getDenseWindowTile(line, 90, 2);
  EXPECT_EQ(tile.window[0], 94);
  EXPECT_EQ(tile.getPartLines(), 48);
  EXPECT_EQ(tile.getSlotLines(), 104);
}

TEST(WindowTile, SaysWhyThereIsNoDenseOne) {
  MatrixView view;
  view.rows = view.extent = {56, 56, 1};
  view.taps = {3, 3, 1};
  EXPECT_EQ(getDenseWindowTile(view, 251, 1)->tile, (Spatial{1, 251, 1}));
  EXPECT_EQ(getDenseWindowTile(view, 257, 1).error(),
            "no box of 257 positions in 1 parts has at most 256 lines of its "
            "window in each");
  EXPECT_EQ(getDenseWindowTile(view, 6, 4).error(),
            "no box of 6 positions in 4 parts has at most 256 lines of its "
            "window in each");
  view.stride = {1, 2, 1};
  EXPECT_EQ(getDenseWindowTile(view, 64, 1).error(),
            "a window needs stride 1, but spatial dimension 1 has 2");
}

TEST(WindowTile, SaysWhyThereIsNone) {
  MatrixView view = makeView(20, 100);
  view.stride = {1, 2, 1};
  EXPECT_EQ(getWindowTile(view, 64).error(),
            "a window needs stride 1, but spatial dimension 1 has 2");
  view = makeView(20, 100);
  view.step = {1, 200, 1};
  EXPECT_EQ(getWindowTile(view, 64).error(),
            "a window has at most 256 positions in each dimension, but would "
            "have 264 in dimension 1");
  view.taps = {1, 1, 1};
  EXPECT_EQ(getWindowTile(view, 64).error(),
            "a window is for several taps, but there is 1");
}

TEST(WindowTile, IsPackedWhereThreadsWriteIt) {
  // 21 columns, and one that taps reach behind them.
  WindowTile tile = *getWindowTile(makeView(9, 20), 128, /*isWritten=*/true);
  EXPECT_TRUE(tile.isPacked);
  EXPECT_FALSE(tile.hasStride());
  EXPECT_EQ(tile.tile, (Spatial{4, 32, 1}));
  EXPECT_EQ(tile.getPitch(), 32);
  // Eight rows, and a column behind the last.
  EXPECT_EQ(tile.getLines(), 8 * 32 + 8);
  EXPECT_FALSE(getWindowTile(makeView(9, 20), 128)->isPacked);
  // 64 columns are as many as ever.
  EXPECT_FALSE(getWindowTile(makeView(9, 40), 128, true)->isPacked);
}

/// `taps` of each dimension with a stride, without padding.
MatrixView makeStrided(int64_t taps, int64_t step, int64_t stride,
                       int64_t rows) {
  MatrixView view;
  view.rows = {rows, rows, 1};
  view.taps = {taps, taps, 1};
  view.step = {step, step, 1};
  view.stride = {stride, stride, 1};
  view.extent = {(rows - 1) * stride + (taps - 1) * step + 1,
                 (rows - 1) * stride + (taps - 1) * step + 1, 1};
  return view;
}

/// The line of a position of a packed window.
int64_t getLine(const WindowTile &tile, int64_t y, int64_t x) {
  return y / tile.stride[0] * tile.getPitch() + x / tile.stride[1] +
         y % tile.stride[0] * tile.phaseLines[0] +
         x % tile.stride[1] * tile.phaseLines[1];
}

TEST(WindowTile, PackedLinesOfATapFollowEachOther) {
  for (int64_t stride : {1, 2, 3})
    for (int64_t taps : {2, 3, 5})
      for (int64_t step : {1, 2, 3})
        for (int64_t rows : {5, 7, 14, 20}) {
          MatrixView view = makeStrided(taps, step, stride, rows);
          auto found = getWindowTile(view, 128, /*isWritten=*/true);
          ASSERT_TRUE(found);
          WindowTile tile = *found;
          ASSERT_TRUE(tile.isPacked);
          EXPECT_EQ(padToTiles(view, tile).strips, 1);
          WindowTile again =
              *getPaddedWindowTile(padToTiles(view, tile), 128, true);
          EXPECT_EQ(again.tile, tile.tile);
          EXPECT_EQ(again.getLines(), tile.getLines());
          std::set<int64_t> read;
          for (int64_t r = 0; r < taps; ++r)
            for (int64_t s = 0; s < taps; ++s) {
              int64_t first = getLine(tile, r * step, s * step);
              EXPECT_LE(first + 128, tile.getLines());
              for (int64_t p = 0; p < tile.tile[0]; ++p)
                for (int64_t q = 0; q < rows; ++q)
                  EXPECT_EQ(getLine(tile, p * stride + r * step,
                                    q * stride + s * step),
                            first + p * tile.getPitch() + q);
            }
          // Each position that is written has a line of its own.
          for (int64_t y = 0; y < tile.window[0]; ++y)
            for (int64_t x = 0; x < view.extent[1]; ++x)
              if (y % stride < tile.phases[0] && x % stride < tile.phases[1]) {
                int64_t line = getLine(tile, y, x);
                EXPECT_LT(line, tile.getLines());
                EXPECT_TRUE(read.insert(line).second);
              }
        }
}

TEST(WindowTile, OfAStrideHasRowsOfAtMost64Columns) {
  EXPECT_EQ(getWindowTile(makeStrided(3, 1, 2, 63), 64, true)->tile,
            (Spatial{1, 64, 1}));
  EXPECT_FALSE(getWindowTile(makeStrided(3, 1, 2, 64), 64, true));
  // One tap has none.
  EXPECT_FALSE(getWindowTile(makeStrided(1, 1, 2, 14), 64, true));
  MatrixView line;
  line.spatialRank = 1;
  line.stride = {2, 1, 1};
  line.taps = {3, 1, 1};
  EXPECT_NE(getWindowTile(line, 64, true).error().find("two dimensions"),
            std::string::npos);
}

TEST(WindowTile, PaddedRowsNameEachPositionOnce) {
  for (int64_t width : {5, 63, 64, 150}) {
    MatrixView view = makeView(9, width);
    WindowTile tile = *getWindowTile(view, 128);
    MatrixView padded = padToTiles(view, tile);
    EXPECT_EQ(padded.numRows() % 128, 0);
    std::set<std::array<int64_t, 3>> named;
    for (int64_t row = 0; row < padded.numRows(); ++row)
      EXPECT_TRUE(named.insert(getPosition(padded, row, 0)).second);
    for (int64_t row = 0; row < view.numRows(); ++row)
      EXPECT_EQ(named.count(getPosition(view, row, 0)), 1u);
  }
}

TEST(WindowTile, ARowOfATileIsALineOfItsWindow) {
  MatrixView view = makeView(9, 100);
  WindowTile tile = *getWindowTile(view, 128);
  MatrixView padded = padToTiles(view, tile);
  int64_t pitch = tile.window[1];
  for (int64_t first = 0; first < padded.numRows(); first += 128) {
    auto origin = getPosition(padded, first, 0);
    for (int64_t row = 0; row < 128; ++row)
      for (int64_t tap = 0; tap < 6; ++tap) {
        int64_t line = (row / 64 + tap / 2 * 2) * pitch + row % 64 + tap % 2;
        auto position = getPosition(padded, first + row, tap);
        EXPECT_EQ(position[0], origin[0]);
        EXPECT_EQ(position[1], origin[1] + line / pitch);
        EXPECT_EQ(position[2], origin[2] + line % pitch);
      }
  }
}

TEST(MatrixView, StripsAreReadInBothDirections) {
  MatrixView view = makeView(5, 7);
  view.rows = {3, 4, 1};
  view.strips = 2;
  for (int64_t row = 0; row < view.numRows(); ++row)
    for (int64_t tap = 0; tap < view.numTaps(); ++tap) {
      auto [n, h, w] = getPosition(view, row, tap);
      bool isInside = h >= 0 && h < 5 && w >= 0 && w < 7;
      auto element = view.element(row, tap, 2);
      ASSERT_EQ(element.has_value(), isInside);
      if (!isInside)
        continue;
      EXPECT_EQ(*element, ((n * 5 + h) * 7 + w) * 3 + 2);
      auto readers = view.readers(*element);
      MatrixView::RowTap here{row, tap};
      EXPECT_EQ(std::count(readers.begin(), readers.end(), here), 1);
    }
}

} // namespace
