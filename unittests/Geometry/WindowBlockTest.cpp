//===- WindowBlockTest.cpp - pixels whose taps share one window -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/WindowBlock.h"

#include "gtest/gtest.h"

#include <map>
#include <vector>

using namespace convmlir;

namespace {

/// The input of a stride-1 convolution with these output positions.
MatrixView makeView(std::vector<int64_t> rows, std::vector<int64_t> taps,
                    int64_t batch, int64_t step = 1) {
  MatrixView view;
  view.spatialRank = rows.size();
  view.batch = batch;
  view.channels = 64;
  for (size_t d = 0; d < rows.size(); ++d) {
    view.rows[d] = rows[d];
    view.taps[d] = taps[d];
    view.step[d] = step;
    view.offset[d] = -1;
    view.extent[d] = rows[d] + (taps[d] - 1) * step - 2;
  }
  return view;
}

TEST(TapBox, IsARunOfTaps) {
  Spatial taps{3, 4, 1};
  EXPECT_EQ(*getTapBox(taps, 2, 12), (Spatial{3, 4, 1}));
  EXPECT_EQ(*getTapBox(taps, 2, 4), (Spatial{1, 4, 1}));
  EXPECT_EQ(*getTapBox(taps, 2, 2), (Spatial{1, 2, 1}));
  EXPECT_EQ(*getTapBox({3, 1, 1}, 2, 3), (Spatial{3, 1, 1}));
}

TEST(TapBox, RefusesRunsThatAreNone) {
  Spatial taps{3, 4, 1};
  // Three of four columns; two of three rows; more than there are.
  for (int64_t number : {3, 8, 24})
    EXPECT_FALSE(getTapBox(taps, 2, number)) << number;
}

struct Expected {
  std::vector<int64_t> rows;
  int64_t batch, positions;
  int64_t images;
  Spatial box;
  int64_t strips;
};

TEST(WindowBlock, PadsLeast) {
  const Expected cases[] = {
      {{56, 56}, 2, 224, 1, {4, 56, 1}, 1},
      {{28, 28}, 2, 224, 1, {7, 32, 1}, 1},
      {{7, 7}, 8, 224, 4, {7, 8, 1}, 1},
      // One image is not padded to four.
      {{7, 7}, 1, 64, 1, {8, 8, 1}, 1},
      {{30, 512}, 1, 128, 1, {1, 128, 1}, 4},
      {{4096}, 1, 240, 1, {240, 1, 1}, 18},
      {{4, 5, 8}, 2, 160, 1, {4, 5, 8}, 1},
  };
  for (const Expected &e : cases) {
    std::vector<int64_t> taps(e.rows.size(), 3);
    MatrixView view = makeView(e.rows, taps, e.batch);
    auto padded = padToBlocks(view, view.taps, e.positions);
    ASSERT_TRUE(padded) << padded.error();
    EXPECT_EQ(padded->strips, e.strips);
    auto block = getWindowBlock(*padded, view.taps, e.positions);
    ASSERT_TRUE(block) << block.error();
    EXPECT_EQ(block->images, e.images);
    EXPECT_EQ(block->box, e.box);
    EXPECT_EQ(block->getPositions(), e.positions);
  }
}

/// The input of a convolution of 3x3 with stride 2 and a padding of 1.
MatrixView makeStridedView(int64_t rows, int64_t columns) {
  MatrixView view = makeView({rows, columns}, {3, 3}, 2);
  view.stride = {2, 2, 1};
  view.extent = {2 * rows, 2 * columns, 1};
  return view;
}

TEST(WindowBlock, OfAStrideHasPhases) {
  MatrixView view = makeStridedView(28, 28);
  EXPECT_FALSE(padToBlocks(view, view.taps, 64));
  auto padded = padToBlocks(view, view.taps, 64, {.isWritten = true});
  ASSERT_TRUE(padded) << padded.error();
  EXPECT_EQ(padded->rows, (Spatial{28, 32, 1}));
  auto block = getWindowBlock(*padded, view.taps, 64);
  ASSERT_TRUE(block) << block.error();
  EXPECT_EQ(block->box, (Spatial{2, 32, 1}));
  EXPECT_EQ(block->window, (Spatial{5, 65, 1}));
  ASSERT_TRUE(block->packed);
  // Rows of 32 positions and one that the third tap reaches: three and two of
  // the phases of rows, for both phases of columns.
  EXPECT_EQ(block->packed->getPitch(), 33);
  EXPECT_EQ(block->packed->phases, (Spatial{2, 2, 1}));
  EXPECT_EQ(block->packed->phaseLines, (Spatial{99, 173, 0}));
  EXPECT_EQ(block->getWindowLines(), 363);
}

TEST(WindowBlock, OfAStrideIsOfOneImageOfTwoDimensions) {
  MatrixView small = makeStridedView(4, 4);
  auto padded = padToBlocks(small, small.taps, 64, {.isWritten = true});
  ASSERT_TRUE(padded) << padded.error();
  EXPECT_FALSE(getWindowBlock(*padded, small.taps, 64));
  MatrixView line = makeView({64}, {3}, 1);
  line.stride = {2, 1, 1};
  EXPECT_FALSE(padToBlocks(line, line.taps, 64, {.isWritten = true}));
}

TEST(WindowBlock, OfAPartOfARowKeepsTheOrder) {
  MatrixView view = makeView({30, 512}, {3, 3}, 2);
  auto padded = padToBlocks(view, view.taps, 128, {.keepsOrder = true});
  ASSERT_TRUE(padded) << padded.error();
  EXPECT_EQ(*padded, view);
  auto block = getWindowBlock(*padded, view.taps, 128);
  ASSERT_TRUE(block) << block.error();
  EXPECT_EQ(block->box, (Spatial{1, 128, 1}));
  EXPECT_EQ(block->window, (Spatial{3, 130, 1}));
  // No whole number of blocks.
  view = makeView({30, 480}, {3, 3}, 2);
  padded = padToBlocks(view, view.taps, 128, {.keepsOrder = true});
  ASSERT_TRUE(padded) << padded.error();
  EXPECT_EQ(padded->strips, 4);
}

TEST(WindowBlock, WindowHasAllTaps) {
  MatrixView view = makeView({20, 24}, {3, 5}, 1, /*step=*/2);
  Spatial taps{1, 5, 1};
  auto padded = padToBlocks(view, taps, 96);
  ASSERT_TRUE(padded) << padded.error();
  auto block = getWindowBlock(*padded, taps, 96);
  ASSERT_TRUE(block) << block.error();
  EXPECT_EQ(block->box, (Spatial{4, 24, 1}));
  EXPECT_EQ(block->window, (Spatial{4, 32, 1}));
  EXPECT_EQ(block->getWindowLines(), 4 * 32);
}

/// The tensor position of a row, (n, p, q): strips are outside of the rows.
std::vector<int64_t> getPosition(const MatrixView &view, int64_t row) {
  std::vector<int64_t> position(view.spatialRank + 1);
  for (int d = view.spatialRank - 1; d >= 0; --d) {
    position[d + 1] = row % view.rows[d];
    row /= view.rows[d];
  }
  position.back() += row % view.strips * view.rows[view.spatialRank - 1];
  position.front() = row / view.strips;
  return position;
}

TEST(WindowBlock, RunsOfRowsAreBoxesThatCoverAllPositions) {
  for (int64_t height : {1, 5, 9, 16})
    for (int64_t width : {3, 8, 17, 300})
      for (int64_t positions : {16, 64, 112, 240}) {
        MatrixView view = makeView({height, width}, {2, 3}, 3);
        auto padded = padToBlocks(view, view.taps, positions);
        if (!padded)
          continue;
        auto block = getWindowBlock(*padded, view.taps, positions);
        ASSERT_TRUE(block) << block.error();
        std::map<std::vector<int64_t>, int> seen;
        for (int64_t row = 0; row < padded->numRows(); ++row) {
          std::vector<int64_t> position = getPosition(*padded, row);
          std::vector<int64_t> first =
              getPosition(*padded, row - row % positions);
          int64_t rest = row % positions;
          for (int d = 1; d >= 0; --d) {
            EXPECT_EQ(position[d + 1], first[d + 1] + rest % block->box[d]);
            rest /= block->box[d];
          }
          EXPECT_EQ(position[0], first[0] + rest);
          ++seen[position];
        }
        for (int64_t n = 0; n < 3; ++n)
          for (int64_t p = 0; p < height; ++p)
            for (int64_t q = 0; q < width; ++q)
              EXPECT_EQ((seen[{n, p, q}]), 1);
      }
}

TEST(WindowBlock, RefusesWhatHasNoWindow) {
  MatrixView view = makeView({20, 24}, {3, 3}, 1);
  EXPECT_FALSE(padToBlocks(view, view.taps, 40)); // No multiple of 16.
  MatrixView strided = view;
  strided.stride[1] = 2;
  EXPECT_FALSE(padToBlocks(strided, view.taps, 96));
  MatrixView dilated = makeView({20, 24}, {3, 3}, 1, /*step=*/130);
  EXPECT_FALSE(padToBlocks(dilated, view.taps, 96));
  MatrixView pointwise = makeView({20, 24}, {1, 1}, 1);
  EXPECT_FALSE(padToBlocks(pointwise, {1, 1, 1}, 96));
}

} // namespace
