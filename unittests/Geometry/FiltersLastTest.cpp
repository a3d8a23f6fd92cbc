//===- FiltersLastTest.cpp - either order is read as the same matrix ------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/FiltersLast.h"
#include "conv/Geometry/TmaView.h"

#include "BruteForce.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

std::vector<MatrixView> getFilterViews(const ConvGeometry &geometry,
                                       ConvKind kind) {
  std::vector<MatrixView> views;
  for (const GemmPhase &phase : geometry.phases(kind))
    views.push_back(phase.b);
  return views;
}

/// The element of [position, channel, filter] that is the one of [filter,
/// position, channel].
std::optional<int64_t> moveFilterBack(std::optional<int64_t> element,
                                      const ConvGeometry &g) {
  if (!element)
    return std::nullopt;
  int64_t perFilter = g.filterElements() / g.k;
  return *element % perFilter * g.k + *element / perFilter;
}

void compare(const ConvGeometry &g, const MatrixView &view,
             const MatrixView &last) {
  ASSERT_EQ(last.batch, 1);
  ASSERT_EQ(last.tensorElements(), g.filterElements());
  ASSERT_EQ(last.numRows(), g.c);
  ASSERT_EQ(last.channels, g.k);
  ASSERT_EQ(last.numTaps(), view.numTaps());
  for (int64_t k = 0; k < g.k; ++k)
    for (int64_t tap = 0; tap < view.numTaps(); ++tap)
      for (int64_t c = 0; c < g.c; ++c)
        ASSERT_EQ(last.element(c, tap, k),
                  moveFilterBack(view.element(k, tap, c), g));
}

/// All phases of an operation read one tensor.
TEST(FiltersLast, ReadsTheSameMatrix) {
  std::mt19937_64 rng(3);
  int64_t ofThree = 0, refused = 0;
  for (int i = 0; i < 1200; ++i) {
    ConvGeometry g = test::randomGeometry(rng, 1 + i % 3, 1 + i / 3 % 3);
    g.c /= g.groups, g.k /= g.groups, g.groups = 1;
    g.flip = i % 5 == 0;
    for (ConvKind kind : {ConvKind::Forward, ConvKind::Dgrad}) {
      std::vector<MatrixView> views = getFilterViews(g, kind);
      auto last = getFiltersLastViews(views);
      if (!last) {
        ASSERT_EQ(g.spatialRank, 3);
        ++refused;
        continue;
      }
      ofThree += g.spatialRank == 3;
      ASSERT_EQ(last->size(), views.size());
      for (size_t phase = 0; phase < views.size(); ++phase) {
        ASSERT_EQ((*last)[phase].extent, last->front().extent);
        compare(g, views[phase], (*last)[phase]);
        if (HasFatalFailure())
          return;
      }
    }
  }
  EXPECT_GT(ofThree, 200);
  EXPECT_GT(refused, 5);
}

ConvGeometry getVolume(int64_t stride) {
  ConvGeometry g;
  g.spatialRank = 3;
  g.c = 16, g.k = 64;
  for (int d = 0; d < 3; ++d) {
    g.input[d] = 9, g.filter[d] = 3;
    g.stride[d] = stride;
  }
  return g;
}

TEST(FiltersLast, JoinsTheOuterTwoOfThreeDimensions) {
  ConvGeometry g = getVolume(/*stride=*/1);
  auto last = getFiltersLastViews(getFilterViews(g, ConvKind::Dgrad));
  ASSERT_TRUE(last) << last.error();
  EXPECT_EQ(last->front().extent, (Spatial{9, 3, 16}));
  EXPECT_EQ(last->front().step, (Spatial{-1, -1, 1})); // Of dgrad: backwards.
  EXPECT_EQ(last->front().offset, (Spatial{8, 2, 0}));
}

/// Of two taps at a distance of two, the last of three is two before the next
/// line's first.
TEST(FiltersLast, ThreeDimensionsOfPhasesHaveNoCommonDistance) {
  ConvGeometry g = getVolume(/*stride=*/2);
  auto last = getFiltersLastViews(getFilterViews(g, ConvKind::Dgrad));
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error(), "its taps along three dimensions are at one distance "
                          "along no two of them");
  EXPECT_TRUE(getFiltersLastViews(getFilterViews(g, ConvKind::Forward)));
}

/// However many taps there are: corners of im2col mode would end at 16.
TEST(FiltersLast, BoxesAreTiled) {
  ConvGeometry g;
  g.c = 48, g.k = 64;
  g.input = {40, 50, 1}, g.filter = {31, 33, 1};
  auto last = getFiltersLastViews(getFilterViews(g, ConvKind::Forward));
  ASSERT_TRUE(last);
  auto tma = getTmaView(last->front(), /*groups=*/1, /*elementBytes=*/2,
                        /*tileRows=*/32, /*tileColumns=*/64);
  ASSERT_TRUE(tma) << tma.error();
  EXPECT_FALSE(tma->isIm2col);
  EXPECT_EQ(tma->extents, (std::vector<int64_t>{64, 48, 33, 31, 1}));
  EXPECT_EQ(tma->box, (std::vector<int64_t>{64, 32, 1, 1, 1}));
  EXPECT_EQ(tma->getPlace(32, 33 * 2 + 5, 0, 0).coordinates,
            (std::vector<int64_t>{0, 32, 5, 2, 0}));
}

} // namespace
