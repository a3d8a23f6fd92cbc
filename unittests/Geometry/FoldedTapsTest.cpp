//===- FoldedTapsTest.cpp - taps of a filter as channels ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every product of a convolution is one of the folded convolution: the position
// of x that tap r meets at output p is at i(p, r') = p + r' * dilation' of x',
// as its folded tap a.
//
//===----------------------------------------------------------------------===//

#include "conv/Geometry/FoldedTaps.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

ConvGeometry makeStem() {
  ConvGeometry g;
  g.n = 2;
  g.c = 3;
  g.k = 16;
  g.input = {21, 30, 1};
  g.filter = {7, 5, 1};
  g.stride = {2, 3, 1};
  g.padLow = {3, -1, 0};
  g.padHigh = {2, 4, 0};
  return g;
}

/// One dimension, folded by `fold`; checks the positions of all products.
void checkPositions(ConvGeometry g, int64_t fold) {
  SCOPED_TRACE(testing::Message()
               << "w=" << g.input[0] << " s=" << g.filter[0]
               << " stride=" << g.stride[0] << " dilation=" << g.dilation[0]
               << " pad=" << g.padLow[0] << " fold=" << fold);
  auto folded = foldTaps(g, ConvKind::Forward, {fold}, 1);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->output(0), g.output(0));
  EXPECT_EQ(folded->c, g.c * fold);
  if (fold == 1) {
    EXPECT_EQ(*folded, g);
    return;
  }
  for (int64_t p = 0; p < g.output(0); ++p)
    for (int64_t r = 0; r < g.filter[0]; ++r) {
      int64_t i = p * folded->stride[0] + r / fold * folded->dilation[0] -
                  folded->padLow[0];
      ASSERT_LT(i, folded->input[0]);
      EXPECT_EQ(i * g.stride[0] + r % fold * g.dilation[0] - g.padLow[0],
                p * g.stride[0] + r * g.dilation[0] - g.padLow[0]);
    }
}

TEST(FoldedTapsTest, MeetsTheSamePositions) {
  ConvGeometry g;
  g.spatialRank = 1;
  g.c = 3;
  g.input[0] = 29;
  int folds = 0;
  for (int64_t taps = 1; taps <= 7; ++taps)
    for (int64_t stride = 1; stride <= 4; ++stride)
      for (int64_t dilation = 1; dilation <= 3; ++dilation)
        for (int64_t pad = -2; pad <= 3; ++pad)
          for (int64_t fold = 1; fold <= taps; ++fold) {
            g.filter[0] = taps;
            g.stride[0] = stride;
            g.dilation[0] = dilation;
            g.padLow[0] = pad;
            if (!foldTaps(g, ConvKind::Forward, {fold}, 1))
              continue;
            checkPositions(g, fold);
            ++folds;
          }
  EXPECT_GT(folds, 500);
}

TEST(FoldedTapsTest, PadsChannels) {
  auto folded = foldTaps(makeStem(), ConvKind::Dgrad, {2, 3}, 16);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->c, 32);
  EXPECT_EQ(countFoldedChannels(makeStem(), {2, 3}), 18);
  EXPECT_EQ(folded->filter, (Spatial{4, 2, 1}));
  EXPECT_EQ(folded->stride, (Spatial{1, 1, 1}));
  EXPECT_EQ(folded->input, (Spatial{13, 11, 1}));
}

TEST(FoldedTapsTest, PadsFiltersThatAreRead) {
  ConvGeometry g = makeStem();
  g.c = 64;
  g.k = 37;
  auto fold = [&](ConvKind kind) { return foldTaps(g, kind, {1, 1}, 16); };
  ASSERT_TRUE(fold(ConvKind::Forward));
  EXPECT_EQ(*fold(ConvKind::Forward), g);
  for (ConvKind kind : {ConvKind::Dgrad, ConvKind::Wgrad}) {
    auto folded = fold(kind);
    ASSERT_TRUE(folded);
    EXPECT_EQ(folded->c, 64);
    EXPECT_EQ(folded->k, 48);
    EXPECT_FALSE(foldsInput(g, *folded));
    EXPECT_TRUE(foldsOutput(g, *folded));
    EXPECT_TRUE(foldsFilter(g, *folded));
  }
  // Half a unit is what TMA copies.
  g.k = 40;
  g.c = 24;
  ASSERT_TRUE(fold(ConvKind::Wgrad));
  EXPECT_EQ(*fold(ConvKind::Wgrad), g);
  g.c = 8;
  ASSERT_TRUE(fold(ConvKind::Wgrad));
  EXPECT_EQ(fold(ConvKind::Wgrad)->c, 16);
  EXPECT_TRUE(foldsInput(g, *fold(ConvKind::Wgrad)));
}

TEST(FoldedTapsTest, KeepsDimensionsThatAreNotFolded) {
  auto folded = foldTaps(makeStem(), ConvKind::Forward, {1, 5}, 8);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->c, 16);
  EXPECT_EQ(folded->filter, (Spatial{7, 1, 1}));
  EXPECT_EQ(folded->stride, (Spatial{2, 1, 1}));
  EXPECT_EQ(folded->padLow, (Spatial{3, 0, 0}));
  EXPECT_EQ(folded->input[0], 21);
  EXPECT_EQ(folded->input[1], makeStem().output(1));
}

TEST(FoldedTapsTest, SaysWhyNot) {
  auto why = [](const ConvGeometry &g, ConvKind kind,
                const std::vector<int64_t> &fold) {
    auto folded = foldTaps(g, kind, fold, 16);
    return folded ? std::string() : folded.error();
  };
  ConvGeometry g = makeStem();
  EXPECT_EQ(why(g, ConvKind::Forward, {2}),
            "fold has 1 entries, but there are 2 spatial dimensions");
  EXPECT_EQ(why(g, ConvKind::Forward, {8, 1}),
            "fold (8) along H must be 1 to the 7 taps of the filter");
  EXPECT_EQ(why(g, ConvKind::Forward, {2, 2}),
            "fold (2) along W times the dilation (1) must be a multiple of the "
            "stride (3), or all 5 taps");
  EXPECT_EQ(why(g, ConvKind::Dgrad, {2, 5}),
            "fold (5) along W makes channels of taps that reach the same "
            "position of dx");
  g.inputDilation[0] = 2;
  EXPECT_EQ(why(g, ConvKind::Wgrad, {1, 1}),
            "input dilation has no folded taps");
  g = makeStem();
  g.padLow[0] = int64_t(1) << 30;
  EXPECT_EQ(why(g, ConvKind::Forward, {2, 3}),
            "folded taps reach 2147483674 positions along H, but at most "
            "1073741824 are possible");
  EXPECT_EQ(why(g, ConvKind::Forward, {1, 3}), "");
  g = makeStem();
  g.c = 4;
  g.groups = 2;
  EXPECT_EQ(why(g, ConvKind::Wgrad, {2, 3}),
            "taps are folded into the channels of one group, but there are 2");
}

TEST(FoldedTapsTest, KnowsUsefulFolds) {
  using Folds = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(getUsefulFolds(makeStem(), ConvKind::Forward),
            (Folds{{2, 3}, {2, 5}, {1, 1}}));
  EXPECT_EQ(getUsefulFolds(makeStem(), ConvKind::Dgrad),
            (Folds{{2, 3}, {1, 1}}));
  ConvGeometry patch = makeStem();
  patch.filter = {2, 2, 1};
  EXPECT_EQ(getUsefulFolds(patch, ConvKind::Dgrad), (Folds{{2, 2}, {1, 1}}));
}

} // namespace
