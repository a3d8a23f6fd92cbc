//===- RawRowsTest.cpp - boxes that hold a run of positions ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes have all rows of a tile, wherever it begins, and TMA's map of skewed
// lines reads every channel where it is.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/RawRows.h"
#include "conv/Geometry/TmaView.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

TEST(RawRows, HasAsManyBoxesAsATileTouches) {
  RawRows large = *getRawRows(196, 128);
  EXPECT_EQ(large.boxPositions, 64);
  EXPECT_EQ(large.boxes, 4);
  EXPECT_EQ(large.getRun(), 4);
  RawRows small = *getRawRows(49, 128);
  EXPECT_EQ(small.boxPositions, 64);
  EXPECT_EQ(small.boxes, 4);
  EXPECT_EQ(small.getRun(), 1);
  EXPECT_EQ(getRawRows(64, 128)->boxes, 2);
  EXPECT_EQ(getRawRows(128, 64)->boxes, 1);
  EXPECT_EQ(getRawRows(16, 64)->boxPositions, 16);
}

TEST(RawRows, RefusesImagesOfFewPositions) { EXPECT_FALSE(getRawRows(15, 64)); }

/// The tile's rows in each image, one after the other.
TEST(RawRows, BoxesHoldEveryRowOfEveryTile) {
  for (int64_t positions = 16; positions < 230; ++positions)
    for (int64_t rows : {16, 48, 64, 128, 192}) {
      RawRows raw = *getRawRows(positions, rows);
      for (int64_t row = 0; row < positions * rows; row += rows) {
        int64_t boxes = 0, at = row % positions, left = rows;
        int64_t start = at / 16 * 16;
        while (left > 0) {
          int64_t end = std::min(positions, at + left);
          int64_t length = end - start + raw.lines.getMostSkew();
          boxes += (length + raw.boxPositions - 1) / raw.boxPositions;
          left -= end - at;
          at = start = 0;
        }
        ASSERT_LE(boxes, raw.boxes) << positions << " " << rows << " " << row;
      }
    }
}

/// Boxes of each tile, one after the other.
TEST(RawRows, CountsBoxesAsALoopOverAllTilesDoes) {
  for (int64_t positions = 16; positions < 400; ++positions)
    for (int64_t rows : {1, 7, 8, 16, 24, 64, 72, 128, 192, 256, 1000}) {
      RawRows raw = *getRawRows(positions, rows);
      int64_t step = std::gcd(rows, positions), most = 0, sum = 0;
      for (int64_t tile = 0; tile < positions; tile += step) {
        int64_t boxes = 0, first = tile;
        for (int64_t left = rows; left > 0; first = 0) {
          int64_t inImage = std::min(left, positions - first);
          boxes += raw.getBoxesOf(first % 16 + inImage);
          left -= inImage;
        }
        most = std::max(most, boxes);
        sum += boxes;
      }
      ASSERT_EQ(raw.boxes, most) << positions << " " << rows;
      ASSERT_EQ(raw.averageBoxes, sum / double(positions / step))
          << positions << " " << rows;
    }
}

TEST(RawRows, CountsBoxesOfLargeImages) {
  RawRows raw = *getRawRows(int64_t(3) << 40, 128);
  EXPECT_EQ(raw.boxes, 2);
  EXPECT_EQ(raw.averageBoxes, 2);
  EXPECT_EQ(getRawRows((int64_t(1) << 40) + 1, 128)->boxes, 4);
}

/// The element at which TMA reads a position of a channel is its own.
TEST(RawRows, MapsSkewedLines) {
  for (int64_t positions : {196, 49, 100, 63, 16, 17, 250}) {
    SkewedLines lines{positions};
    constexpr int64_t images = 3, channels = 64;
    TmaView map = *getTmaSkewedView({images, channels, positions}, {16, 64});
    ASSERT_EQ(map.byteStrides.size(), 3u);
    for (int64_t stride : map.byteStrides)
      EXPECT_EQ(stride % 32, 0);
    int64_t last = 0;
    for (int64_t channel = 0; channel < channels; ++channel) {
      int64_t channelClass = channel % lines.getClasses();
      int64_t element = lines.getSkew(channelClass) +
                        channelClass * map.byteStrides[0] / 2 +
                        channel / lines.getClasses() * map.byteStrides[1] / 2;
      EXPECT_EQ(element, channel * positions);
      last = element - lines.getSkew(channelClass) + map.extents[0];
    }
    // Nothing behind the tensor is named.
    EXPECT_EQ(last, channels * positions);
    EXPECT_EQ(map.byteStrides[2], channels * positions * 2);
  }
}

TEST(RawRows, MapsNoPartsOfClasses) {
  EXPECT_FALSE(getTmaSkewedView({3, 24, 49}, {16, 64}));
  EXPECT_FALSE(getTmaSkewedView({3, 64, 49}, {8, 64}));
  EXPECT_FALSE(getTmaSkewedView({3, 64, 49}, {16, 72}));
  EXPECT_FALSE(getTmaSkewedView({3, 64, 15}, {16, 64}));
}

} // namespace
