//===- TmaViewTest.cpp - TMA reads what the view says ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks boxes as the copy engine does and compares every element with the view.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/TmaView.h"
#include "conv/Geometry/ConvGeometry.h"
#include "conv/Geometry/SharedTile.h"

#include <gtest/gtest.h>

#include <random>

using namespace convmlir;

namespace {

/// Linear element index in the tensor, nothing outside of it.
using Element = std::optional<int64_t>;

/// The copy engine on one tensor map.
class Engine {
public:
  Engine(const TmaView &tma, int64_t elementBytes)
      : tma(tma), elementBytes(elementBytes) {}

  /// Elements of the box at a place, row by row.
  std::vector<Element> load(const TmaView::Place &place) {
    std::vector<Element> elements;
    std::vector<int64_t> position = place.coordinates;
    for (int64_t row = 0; row < tma.boxRows; ++row) {
      for (int64_t c = 0; c < tma.boxColumns; ++c)
        elements.push_back(read(position, place.offsets, c));
      if (tma.isIm2col)
        advance(position);
      else
        advanceInBox(position, place.coordinates);
    }
    return elements;
  }

  /// True where im2col mode may start.
  bool isInPixelBox(const std::vector<int64_t> &position) const {
    for (size_t d = 0; d < tma.lower.size(); ++d)
      if (position[d + 1] < tma.lower[d] || position[d + 1] > last(d))
        return false;
    return position.back() >= 0 && position.back() < tma.extents.back();
  }

private:
  int64_t last(size_t d) const { return tma.extents[d + 1] - 1 + tma.upper[d]; }

  void advance(std::vector<int64_t> &position) const {
    for (size_t d = 0; d < tma.lower.size(); ++d) {
      position[d + 1] += tma.elementStrides[d + 1];
      if (position[d + 1] <= last(d))
        return;
      position[d + 1] = tma.lower[d];
    }
    ++position.back();
  }

  /// To the next row of a tiled box that begins at `first`.
  void advanceInBox(std::vector<int64_t> &position,
                    const std::vector<int64_t> &first) const {
    for (size_t d = 1; d < tma.box.size(); ++d) {
      if (++position[d] < first[d] + tma.box[d])
        return;
      position[d] = first[d];
    }
  }

  Element read(std::vector<int64_t> position,
               const std::vector<int64_t> &offsets, int64_t column) const {
    position.front() += column;
    for (size_t d = 0; d < offsets.size(); ++d)
      position[d + 1] += offsets[d];
    int64_t bytes = tma.byteOffset + position.front() * elementBytes;
    for (size_t i = 0; i < position.size(); ++i) {
      if (position[i] < 0 || position[i] >= tma.extents[i])
        return std::nullopt;
      if (i > 0)
        bytes += position[i] * tma.byteStrides[i - 1];
    }
    return bytes / elementBytes;
  }

  const TmaView &tma;
  int64_t elementBytes;
};

class Random {
public:
  int64_t in(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  bool oneIn(int64_t n) { return in(1, n) == 1; }

  /// Views of all kinds: plain matrices, filters, strided and shifted ones.
  MatrixView view() {
    MatrixView view;
    view.spatialRank = in(1, 3);
    view.batch = in(1, 4);
    view.channels = 8 * in(1, 9);
    bool isFilter = oneIn(4), isPlain = oneIn(6);
    for (int d = 0; d < view.spatialRank; ++d) {
      view.extent[d] = in(1, 7);
      view.rows[d] = isPlain ? view.extent[d] : isFilter ? 1 : in(1, 6);
      if (isPlain)
        continue;
      view.taps[d] = in(1, 4);
      view.stride[d] = in(1, 4);
      do
        view.step[d] = in(-3, 3);
      while (view.step[d] == 0);
      view.offset[d] = in(-5, 5);
    }
    return view;
  }

private:
  std::mt19937_64 engine{1};
};

/// Compares one box with the view, at random row, tap and channel.
void compareBox(Random &random, const MatrixView &view, const TmaView &tma,
                int64_t groups) {
  int64_t row = random.in(0, view.numRows() - 1);
  int64_t tap = random.in(0, view.numTaps() - 1);
  int64_t group = random.in(0, groups - 1);
  int64_t blocks = (tma.groupChannels - 1) / tma.boxColumns;
  int64_t channel = random.in(0, blocks) * tma.boxColumns;

  Engine engine(tma, 2);
  TmaView::Place place = tma.getPlace(row, tap, group, channel);
  if (tma.isIm2col) {
    ASSERT_TRUE(engine.isInPixelBox(place.coordinates));
    for (int64_t offset : place.offsets)
      ASSERT_GE(offset, 0);
  } else {
    ASSERT_TRUE(place.offsets.empty());
  }
  std::vector<Element> loaded = engine.load(place);
  for (int64_t i = 0; i < tma.boxRows; ++i)
    for (int64_t c = 0; c < tma.boxColumns; ++c) {
      // Rows behind the last image are those of the next group.
      if (tma.hasGroups && tma.isIm2col && row + i >= view.numRows())
        continue;
      Element expected =
          view.element(row + i, tap, group * tma.groupChannels + channel + c);
      if (tma.hasGroups && channel + c >= tma.groupChannels)
        expected = std::nullopt;
      ASSERT_EQ(loaded[i * tma.boxColumns + c], expected)
          << "row " << row << " + " << i << ", tap " << tap;
    }
}

TEST(TmaView, BoxesHoldTheRowsOfTheView) {
  Random random;
  int64_t matrices = 0, filters = 0, im2col = 0;
  for (int i = 0; i < 6000; ++i) {
    MatrixView view = random.view();
    int64_t columns = 16 << random.in(0, 2), rows = random.in(1, 70);
    int64_t groups = 1;
    if (random.oneIn(4) && view.channels % (2 * columns) == 0)
      groups = view.channels / columns;
    Result<TmaView> tma = getTmaView(view, groups, 2, rows, columns);
    // Corners of three dimensions have five bits.
    if (!tma && view.spatialRank == 3)
      continue;
    ASSERT_TRUE(tma) << tma.error();
    (tma->isIm2col             ? im2col
     : tma->dimensions.empty() ? matrices
                               : filters) += 1;
    for (int box = 0; box < 4; ++box) {
      compareBox(random, view, *tma, groups);
      if (HasFatalFailure())
        return;
    }
  }
  // The views are not all of one kind.
  EXPECT_GT(matrices, 500);
  EXPECT_GT(filters, 500);
  EXPECT_GT(im2col, 2000);
}

TEST(TmaView, TilesEndWhereAGroupOfChannelsDoes) {
  Random random;
  int64_t im2col = 0, others = 0;
  for (int i = 0; i < 4000; ++i) {
    MatrixView view = random.view();
    int64_t groups = random.in(2, 4), columns = 16 << random.in(0, 2);
    view.channels *= groups;
    if (view.channels / groups % columns == 0)
      continue;
    Result<TmaView> tma =
        getTmaView(view, groups, 2, random.in(1, 70), columns);
    // Corners have five bits with the batch as a third spatial dimension.
    if (!tma && view.spatialRank >= 2)
      continue;
    ASSERT_TRUE(tma) << tma.error();
    ASSERT_TRUE(tma->hasGroups);
    (tma->isIm2col ? im2col : others) += 1;
    compareBox(random, view, *tma, groups);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(im2col, 500);
  EXPECT_GT(others, 500);
}

TEST(TmaView, TilesEndWhereAGroupOfRowsDoes) {
  Random random;
  for (int i = 0; i < 1000; ++i) {
    MatrixView view;
    view.spatialRank = random.in(1, 2);
    view.channels = 8 * random.in(1, 9);
    int64_t rowGroups = random.in(2, 4), perGroup = random.in(1, 20);
    view.batch = rowGroups * perGroup;
    for (int d = 0; d < view.spatialRank; ++d)
      view.extent[d] = view.taps[d] = random.in(1, 3);
    Result<std::vector<TmaView>> maps =
        getTmaViews({view}, 1, 2, random.in(1, 30), 32, rowGroups);
    ASSERT_TRUE(maps) << maps.error();
    const TmaView &tma = maps->front();
    int64_t row = random.in(0, perGroup - 1);
    int64_t tap = random.in(0, view.numTaps() - 1);
    int64_t group = random.in(0, rowGroups - 1);
    std::vector<Element> loaded =
        Engine(tma, 2).load(tma.getPlace(row, tap, group, 0));
    for (int64_t i = 0; i < tma.boxRows; ++i)
      for (int64_t c = 0; c < tma.boxColumns; ++c)
        ASSERT_EQ(loaded[i * tma.boxColumns + c],
                  row + i < perGroup
                      ? view.element(group * perGroup + row + i, tap, c)
                      : std::nullopt);
  }
}

/// Rows of every stride that lie inside the tensor.
MatrixView storeView(Random &random) {
  MatrixView view;
  view.spatialRank = random.in(1, 3);
  view.batch = random.in(1, 4);
  view.channels = 8 * random.in(1, 9);
  bool isPlain = random.oneIn(4);
  for (int d = 0; d < view.spatialRank; ++d) {
    view.rows[d] = random.in(1, 6);
    view.stride[d] = isPlain ? 1 : random.in(1, 4);
    view.offset[d] = isPlain ? 0 : random.in(0, 3);
    view.extent[d] = view.offset[d] + (view.rows[d] - 1) * view.stride[d] + 1 +
                     (isPlain ? 0 : random.in(0, 3));
  }
  return view;
}

TEST(TmaView, StoresWriteTheRowsOfTheView) {
  Random random;
  int64_t matrices = 0;
  for (int i = 0; i < 3000; ++i) {
    MatrixView view = storeView(random);
    int64_t columns = 16 << random.in(0, 2), rows = random.in(1, 70);
    int64_t groups = random.in(1, 3);
    view.channels *= groups;
    Result<TmaView> tma = getTmaStoreView(view, groups, 2, rows, columns);
    // Rows at a distance past the last one would be those of the next group.
    if (!tma && groups > 1 && view.channels / groups % columns != 0)
      continue;
    ASSERT_TRUE(tma) << tma.error();
    ASSERT_FALSE(tma->isIm2col && tma->hasGroups);
    matrices += tma->dimensions.empty();
    EXPECT_EQ(tma->byteOffset % 16, 0);
    compareBox(random, view, *tma, groups);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(matrices, 500);
  EXPECT_LT(matrices, 1500);
}

TEST(TmaView, InterleavedStoresWriteTheSameRows) {
  Random random;
  int64_t possible = 0;
  for (int i = 0; i < 3000; ++i) {
    MatrixView view = storeView(random);
    view.channels *= random.in(1, 8);
    int64_t columns = 16 * random.in(1, 12), rows = 8 * random.in(1, 8);
    Result<TmaView> tma = getTmaInterleavedStoreView(view, 1, 2, rows, columns);
    if (!tma)
      continue;
    ++possible;
    EXPECT_EQ(tma->byteStrides.front() % 16, 0);
    PanelTile tile(rows, columns, 2);
    int64_t first = random.in(0, view.numRows() / rows) * rows;
    int64_t channel = random.in(0, (view.channels - 1) / columns) * columns;
    std::vector<Element> box =
        Engine(*tma, 2).load(tma->getPlace(first, 0, 0, channel));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t c = 0; c < columns; ++c) {
        int64_t line = tile.getInterleavedLine(row, c / tma->boxColumns);
        ASSERT_EQ(box[line * tma->boxColumns + c % tma->boxColumns],
                  view.element(first + row, 0, channel + c))
            << "row " << first << " + " << row << ", channel " << channel
            << " + " << c;
      }
  }
  EXPECT_GT(possible, 100);
}

TEST(TmaView, InterleavedStoresAreOfWholeGroups) {
  MatrixView view;
  view.spatialRank = 1;
  view.batch = 5;
  view.channels = 192;
  view.extent = view.rows = {8, 1, 1};
  EXPECT_TRUE(getTmaInterleavedStoreView(view, 1, 2, 64, 128));
  EXPECT_EQ(getTmaInterleavedStoreView(view, 1, 2, 60, 128).error(),
            "TMA stores interleaved panels of a multiple of 8 rows, but the "
            "tile has 60 of 40");
  view.channels = 160;
  EXPECT_EQ(getTmaInterleavedStoreView(view, 1, 2, 64, 128).error(),
            "TMA stores interleaved panels of a multiple of 64 channels, but "
            "there are 160");
  view.channels = 192;
  view.stride[0] = 2;
  view.extent[0] = 15;
  EXPECT_EQ(getTmaInterleavedStoreView(view, 1, 2, 64, 128).error(),
            "TMA stores interleaved panels into rows of a matrix only");
}

TEST(TmaView, StoresOnlyInside) {
  MatrixView view;
  view.spatialRank = 2;
  view.channels = 64;
  view.extent = {8, 9, 1};
  view.rows = {4, 5, 1};
  view.stride = {2, 2, 1};
  view.offset = {1, 0, 0};
  EXPECT_TRUE(getTmaStoreView(view, 1, 2, 128, 64));
  EXPECT_TRUE(getTmaStoreView(view, 2, 2, 128, 32));
  EXPECT_EQ(
      getTmaStoreView(view, 2, 2, 128, 64).error(),
      "TMA stores tiles that reach past the end of a group into rows of a "
      "matrix only: else rows past the last one are those of the next "
      "group");
  view.offset[1] = 1;
  Result<TmaView> tma = getTmaStoreView(view, 1, 2, 128, 64);
  ASSERT_FALSE(tma);
  EXPECT_EQ(tma.error(), "TMA stores rows inside the tensor only, but spatial "
                         "dimension 1 has rows from 1 to 9 of 9");
}

TEST(TmaView, BoxOfAConvolutionIsTheDocumentedOne) {
  ConvGeometry g;
  g.n = 2, g.c = 64, g.k = 64;
  g.input = {13, 11, 1}, g.filter = {3, 3, 1};
  g.stride = {2, 2, 1}, g.padLow = {1, 1, 0}, g.padHigh = {1, 1, 0};
  ASSERT_TRUE(g.check());
  TmaBox box = g.inputTmaBox();
  Result<TmaView> tma = getTmaView(g.inputView(), 1, 2, 128, 64);
  ASSERT_TRUE(tma) << tma.error();
  EXPECT_TRUE(tma->isIm2col);
  EXPECT_EQ(tma->lower, (std::vector<int64_t>{box.lower[1], box.lower[0]}));
  EXPECT_EQ(tma->upper, (std::vector<int64_t>{box.upper[1], box.upper[0]}));
  EXPECT_EQ(tma->elementStrides, (std::vector<int64_t>{1, 2, 2, 1}));
  EXPECT_EQ(tma->extents, (std::vector<int64_t>{64, 11, 13, 2}));
  EXPECT_EQ(tma->byteStrides,
            (std::vector<int64_t>{128, 11 * 128, 13 * 11 * 128}));
}

TEST(TmaView, PhasesWithoutTapsReadFromSomewhere) {
  MatrixView filter;
  filter.batch = 16;
  filter.channels = 64;
  filter.extent = {3, 3, 1};
  filter.taps = {0, 2, 1};
  filter.offset = {0, 2, 0};
  filter.step = {-2, -2, 1};
  Result<TmaView> tma = getTmaView(filter, 1, 2, 16, 64);
  ASSERT_TRUE(tma) << tma.error();
  EXPECT_FALSE(tma->isIm2col);
  EXPECT_EQ(tma->getPlace(3, 0, 0, 0).coordinates,
            (std::vector<int64_t>{0, 2, 0, 3}));
}

/// The phases of dgrad of W = 3 with stride 2: one has two taps and a row for
/// each image, the other has one tap, whose rows are the whole tensor.
TEST(TmaView, PhasesShareTheModeThatLoadsAllOfThem) {
  Random random;
  ConvGeometry g;
  g.spatialRank = 1;
  g.n = 4, g.c = 64, g.k = 64;
  g.input = {3, 1, 1}, g.filter = {3, 1, 1};
  g.stride = {2, 1, 1}, g.padLow = {1, 0, 0}, g.padHigh = {1, 0, 0};
  ASSERT_TRUE(g.check());
  std::vector<MatrixView> views;
  for (const GemmPhase &phase : g.phases(ConvKind::Dgrad))
    views.push_back(phase.a);
  Result<std::vector<TmaView>> maps = getTmaViews(views, 1, 2, 64, 64);
  ASSERT_TRUE(maps) << maps.error();
  for (size_t i = 0; i < views.size(); ++i)
    for (int box = 0; box < 20; ++box)
      compareBox(random, views[i], (*maps)[i], 1);
}

TEST(TmaView, PanelsAreBoxes) {
  MatrixView view;
  view.spatialRank = 1;
  view.batch = 256;
  view.channels = 512;
  Result<TmaView> tma = getTmaView(view, 1, 2, 64, 256);
  ASSERT_TRUE(tma) << tma.error();
  EXPECT_EQ(tma->box, (std::vector<int64_t>{64, 64}));
  EXPECT_EQ(tma->extents, (std::vector<int64_t>{512, 256}));
  // 96 bytes are three panels of 32.
  tma = getTmaView(view, 1, 2, 64, 48);
  ASSERT_TRUE(tma) << tma.error();
  EXPECT_EQ(tma->box, (std::vector<int64_t>{16, 64}));
}

/// A view with padding in each of its dimensions.
MatrixView padded(int rank) {
  MatrixView view;
  view.spatialRank = rank;
  view.batch = 2;
  view.channels = 64;
  for (int d = 0; d < rank; ++d) {
    view.extent[d] = view.rows[d] = 9;
    view.taps[d] = 3;
    view.offset[d] = -1;
  }
  return view;
}

TEST(TmaView, SaysWhatTmaCannotDo) {
  EXPECT_EQ(whyNoTensorMap({padded(2)}, 1, 2, 128, 64), "");

  // Panels are 32, 64 or 128 bytes wide, and 96 are three of the first.
  EXPECT_EQ(whyNoTensorMap({padded(2)}, 1, 2, 128, 48), "");
  EXPECT_EQ(whyNoTensorMap({padded(2)}, 1, 2, 128, 40),
            "TMA needs tiles with rows of a multiple of 32 bytes, but they "
            "have 80");
  MatrixView view = padded(2);
  view.channels = 12;
  EXPECT_EQ(whyNoTensorMap({view}, 1, 2, 128, 64),
            "TMA needs channels of a multiple of 16 bytes, but there are 12 of "
            "2");
  // With a dimension for the groups, if there is room and they are aligned.
  EXPECT_EQ(whyNoTensorMap({padded(2)}, 4, 2, 128, 32), "");
  EXPECT_EQ(whyNoTensorMap({padded(3)}, 4, 2, 128, 16), "");
  EXPECT_EQ(whyNoTensorMap({padded(3)}, 4, 2, 128, 32),
            "TMA has 5 dimensions, but tiles that reach past the end of a "
            "group need one more");
  EXPECT_EQ(whyNoTensorMap({padded(2)}, 16, 2, 128, 32),
            "TMA needs groups of a multiple of 16 bytes, but one has 8");
  EXPECT_EQ(whyNoTensorMap({padded(2)}, 1, 2, 1025, 64),
            "TMA copies at most 1024 rows in im2col mode, but the tile has "
            "1025");
  view = padded(3);
  view.offset[1] = -17;
  EXPECT_EQ(whyNoTensorMap({view}, 1, 2, 128, 64),
            "TMA lower corner of spatial dimension 1 is -17, outside [-16, "
            "15]");
  view = padded(2);
  view.step[0] = -128;
  EXPECT_EQ(whyNoTensorMap({view}, 1, 2, 128, 64),
            "TMA lower corner of spatial dimension 0 is -257, outside [-128, "
            "127]");
  view = padded(2);
  view.stride[1] = 9;
  EXPECT_EQ(whyNoTensorMap({view}, 1, 2, 128, 64),
            "TMA element stride of spatial dimension 1 is 9, outside [1, 8]");
  // A matrix has no spatial dimensions, but boxes of fewer rows.
  view = padded(2);
  view.taps = {1, 1, 1};
  view.offset = {0, 0, 0};
  EXPECT_EQ(whyNoTensorMap({view}, 1, 2, 256, 64), "");
  EXPECT_EQ(whyNoTensorMap({view}, 1, 2, 257, 64),
            "TMA copies at most 256 rows in tiled mode, but the tile has 257");
}

TEST(TmaView, RefusesStridesOf40Bits) {
  MatrixView view;
  view.spatialRank = 2;
  view.batch = 2;
  view.channels = 1 << 20;
  view.extent = {1 << 10, 1 << 10, 1};
  view.rows = {(1 << 10) - 1, 1 << 10, 1};
  auto map = getTmaView(view, 1, 2, 64, 64);
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error(), "TMA has strides below 2^40 bytes, but one is "
                         "2199023255552");
  EXPECT_FALSE(getTmaBoxView({2, 1 << 17, 1 << 17, 64}, {1, 8, 8, 64}, 2));
  EXPECT_TRUE(getTmaBoxView({2, 1 << 16, 1 << 16, 64}, {1, 8, 8, 64}, 2));
}

} // namespace
