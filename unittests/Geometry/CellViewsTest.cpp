//===- CellViewsTest.cpp - positions between the rows of a view -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/CellViews.h"

#include <gtest/gtest.h>
#include <random>

using namespace convmlir;

namespace {

class Random {
public:
  int64_t in(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }

private:
  std::mt19937 engine;
};

/// Every position at a multiple of the stride.
MatrixView cellView(Random &random) {
  MatrixView view;
  view.spatialRank = random.in(1, 3);
  view.batch = random.in(1, 3);
  view.channels = random.in(1, 3);
  for (int d = 0; d < view.spatialRank; ++d) {
    view.extent[d] = random.in(1, 9);
    view.stride[d] = random.in(1, 4);
    view.rows[d] = (view.extent[d] + view.stride[d] - 1) / view.stride[d];
  }
  return view;
}

void addRows(const MatrixView &view, std::vector<int> &times) {
  for (int64_t row = 0; row < view.numRows(); ++row)
    for (int64_t c = 0; c < view.channels; ++c)
      ++times[*view.element(row, 0, c)];
}

TEST(CellViews, NameEachElementOnce) {
  Random random;
  for (int i = 0; i < 2000; ++i) {
    MatrixView view = cellView(random);
    ASSERT_TRUE(namesCells(view));
    std::vector<int> times(view.tensorElements());
    addRows(view, times);
    for (const RowsBetween &between : getRowsBetween(view)) {
      addRows(between.view, times);
      // As many for each row of the view are enough.
      EXPECT_LE(between.view.numRows(), view.numRows() * between.perRow);
      EXPECT_GT(between.view.numRows(), 0);
    }
    EXPECT_EQ(times, std::vector<int>(view.tensorElements(), 1));
  }
}

TEST(CellViews, BeginWithTheTensorAndEndWithIt) {
  MatrixView view;
  view.spatialRank = 1;
  view.extent[0] = 7;
  view.stride[0] = 2;
  view.rows[0] = 4;
  EXPECT_TRUE(namesCells(view));
  ASSERT_EQ(getRowsBetween(view).size(), 1u);
  EXPECT_EQ(getRowsBetween(view).front().view.rows[0], 3);
  MatrixView shifted = view;
  shifted.offset[0] = 1;
  shifted.rows[0] = 3;
  EXPECT_FALSE(namesCells(shifted));
  MatrixView some = view;
  some.rows[0] = 3;
  EXPECT_FALSE(namesCells(some));
  MatrixView taps = view;
  taps.taps[0] = 2;
  EXPECT_FALSE(namesCells(taps));
}

TEST(CellViews, LieInsideHoweverLargeTheStride) {
  MatrixView view;
  view.spatialRank = 1;
  view.extent[0] = 4;
  view.stride[0] = int64_t(1) << 40;
  view.rows[0] = 1;
  ASSERT_TRUE(namesCells(view));
  EXPECT_EQ(getRowsBetween(view).size(), 3u);
  EXPECT_EQ(getRowsBetween(view, /*most=*/1).size(), 2u);
  view.extent[0] = int64_t(1) << 40;
  EXPECT_EQ(getRowsBetween(view, /*most=*/15).size(), 16u);
}

} // namespace
