//===- ConvGeometryTest.cpp - extents and counts against the definition ---===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output extents, implicit-GEMM extents, operation and byte counts, on random
// shapes with and without input dilation.
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"

#include <gtest/gtest.h>
#include <set>

using namespace convmlir;
using namespace convmlir::test;

namespace {

class RandomShapes : public testing::TestWithParam<int> {};

TEST_P(RandomShapes, OutputExtentsAreTheWindowsThatFit) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 5000; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam(), 1 + i % 3);
    for (int d = 0; d < g.spatialRank; ++d)
      ASSERT_EQ(g.output(d), countWindows(g, d)) << testing::PrintToString(g);
  }
}

TEST_P(RandomShapes, WindowsThatDoNotFitGiveNothing) {
  std::mt19937_64 rng(2);
  for (int i = 0; i < 2000; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam(), 2);
    int d = i % g.spatialRank;
    g.filter[d] += 8 + i % 5;
    g.padLow[d] = std::min<int64_t>(g.padLow[d], 0);
    ASSERT_EQ(g.output(d), countWindows(g, d)) << testing::PrintToString(g);
    ASSERT_EQ(bool(g.check()), countWindows(g, d) > 0);
  }
}

TEST_P(RandomShapes, FlopsAndGemmExtentsCountEveryProduct) {
  std::mt19937_64 rng(3);
  for (int i = 0; i < 400; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam(), 1 + i % 2);
    int64_t products = 0;
    forEachProduct(g, [&](Product) { ++products; });
    ASSERT_EQ(g.flops(), 2 * products);
    for (ConvKind kind : {ConvKind::Forward, ConvKind::Wgrad})
      ASSERT_EQ(g.gemmM(kind) * g.gemmN(kind) * g.gemmK(kind) * g.groups,
                products);
  }
}

TEST_P(RandomShapes, DgradExtentsAreTheSumsOverItsPhases) {
  std::mt19937_64 rng(4);
  for (int i = 0; i < 400; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam());
    int64_t rows = 0, taps = 0;
    for (const DgradPhase &phase : g.dgradPhases())
      rows += phase.dy.numRows(), taps += phase.dy.numTaps();
    ASSERT_EQ(g.gemmM(ConvKind::Dgrad), rows);
    ASSERT_EQ(g.gemmN(ConvKind::Dgrad), g.c / g.groups);
    bool everyPhase = true;
    for (int d = 0; d < g.spatialRank; ++d)
      everyPhase &= g.input[d] >= g.stride[d];
    if (everyPhase) {
      ASSERT_EQ(g.gemmK(ConvKind::Dgrad), taps * (g.k / g.groups));
    }
  }
}

TEST_P(RandomShapes, LeastBytesCountWhatTheDefinitionTouches) {
  std::mt19937_64 rng(5);
  for (int i = 0; i < 600; ++i) {
    ConvGeometry g = randomGeometry(rng, GetParam());
    std::set<int64_t> touched;
    forEachProduct(g, [&](Product product) {
      if (product.inside)
        touched.insert(product.x);
    });
    int64_t x = touched.size(), w = g.filterElements(), y = g.outputElements();
    ASSERT_EQ(g.leastBytes(ConvKind::Forward, 2, 4), 2 * (x + w) + 4 * y)
        << testing::PrintToString(g);
    ASSERT_EQ(g.leastBytes(ConvKind::Wgrad, 2, 4), 2 * (x + y) + 4 * w);
    ASSERT_EQ(g.leastBytes(ConvKind::Dgrad, 2, 4),
              2 * (y + w) + 4 * g.inputElements());
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RandomShapes, testing::Values(1, 2, 3));

TEST(ConvGeometry, ResNetLayer) {
  ConvGeometry g;
  g.n = 8, g.c = 64, g.k = 128, g.input = {56, 48, 1}, g.filter = {3, 5, 1};
  g.padLow = {1, 2, 0}, g.padHigh = {1, 0, 0}, g.stride = {2, 1, 1};
  ASSERT_TRUE(g.check()) << g.check().error();
  EXPECT_EQ(g.outputs(), (Spatial{28, 46, 1}));
  EXPECT_EQ(g.gemmM(ConvKind::Forward), 8 * 28 * 46);
  EXPECT_EQ(g.gemmN(ConvKind::Forward), 128);
  EXPECT_EQ(g.gemmK(ConvKind::Forward), 15 * 64);
  EXPECT_EQ(g.gemmM(ConvKind::Wgrad), 128);
  EXPECT_EQ(g.gemmN(ConvKind::Wgrad), 15 * 64);
  EXPECT_EQ(g.gemmK(ConvKind::Wgrad), 8 * 28 * 46);
  EXPECT_EQ(g.gemmM(ConvKind::Dgrad), 8 * 56 * 48);
  EXPECT_EQ(g.gemmK(ConvKind::Dgrad), 15 * 128);
  EXPECT_EQ(g.flops(), int64_t(2) * 8 * 28 * 46 * 128 * 64 * 15);
}

TEST(ConvGeometry, StridedPointwiseFilterTouchesAQuarterOfTheInput) {
  ConvGeometry g;
  g.c = 16, g.k = 16, g.input = {8, 8, 1}, g.stride = {2, 2, 1};
  EXPECT_EQ(g.leastBytes(ConvKind::Forward, 1, 0), 16 * 4 * 4 + 16 * 16);
}

TEST(ConvGeometry, EmptyBatchIsWellFormed) {
  ConvGeometry g;
  g.n = 0, g.input = {5, 5, 1};
  ASSERT_TRUE(g.check());
  EXPECT_EQ(g.outputElements(), 0);
  EXPECT_EQ(g.flops(), 0);
  EXPECT_EQ(g.inputView().numRows(), 0);
  for (const DgradPhase &phase : g.dgradPhases())
    EXPECT_EQ(phase.dy.numRows(), 0);
}

TEST(ConvGeometry, CountsSaturate) {
  ConvGeometry g;
  g.n = 1 << 30, g.c = 1 << 20, g.k = 1 << 20, g.input = {4, 4, 1};
  ASSERT_TRUE(g.check()) << g.check().error();
  EXPECT_EQ(g.flops(), INT64_MAX);
  EXPECT_EQ(g.inputView().viewElements(), int64_t(1) << 54);
  EXPECT_EQ(g.leastBytes(ConvKind::Forward, 512, 512), INT64_MAX);
}

TEST(ConvGeometry, NamesTheOps) {
  EXPECT_STREQ(toString(ConvKind::Forward), "forward");
  EXPECT_STREQ(toString(ConvKind::Dgrad), "dgrad");
  EXPECT_STREQ(toString(ConvKind::Wgrad), "wgrad");
}

} // namespace
