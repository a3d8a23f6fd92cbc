//===- RandomLayerTest.cpp - problems as layers have them -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers are well-formed, within their ranges and their limit, and come up as
// often as docs/ConvRun.md says.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/RandomProblem.h"

#include <gtest/gtest.h>
#include <set>

using namespace convmlir;

namespace {

constexpr int kDraws = 4000;
constexpr int64_t kAny = INT64_MAX;

Problem draw(int number, int64_t most) {
  CounterRng rng(5, static_cast<uint64_t>(number));
  return randomLayer(rng, most);
}

TEST(RandomLayer, IsWellFormedAndWithinTheLimit) {
  constexpr int64_t most = int64_t(1) << 21;
  for (int i = 0; i < kDraws; ++i) {
    Problem problem = draw(i, most);
    EXPECT_TRUE(problem.check()) << toString(problem);
    EXPECT_LE(problem.geometry.flops() / 2, most) << toString(problem);
    Result<Problem> parsed = parseProblem(toString(problem));
    ASSERT_TRUE(parsed) << toString(problem);
    EXPECT_EQ(*parsed, problem);
  }
}

TEST(RandomLayer, StaysWithinItsRanges) {
  const std::set<int64_t> batches{1, 2, 4, 8}, filters{1, 3, 5, 7};
  for (int i = 0; i < kDraws; ++i) {
    const ConvGeometry g = draw(i, kAny).geometry;
    EXPECT_TRUE(batches.contains(g.n));
    EXPECT_LE(g.groups, 32);
    EXPECT_LE(std::max(g.c, g.k), 288); // 256, rounded up to a group.
    for (int d = 0; d < g.spatialRank; ++d) {
      EXPECT_TRUE(filters.contains(g.filter[d]));
      EXPECT_LE(g.input[d], 128);
      EXPECT_LE(g.stride[d], 3);
      EXPECT_LE(g.dilation[d], 2);
      EXPECT_EQ(g.padLow[d], g.padHigh[d]);
    }
  }
}

/// The share of the problems for which `holds`.
double share(const std::function<bool(const Problem &)> &holds) {
  int count = 0;
  for (int i = 0; i < kDraws; ++i)
    count += holds(draw(i, kAny)) ? 1 : 0;
  return double(count) / kDraws;
}

TEST(RandomLayer, HasTheShares) {
  constexpr double error = 0.03;
  auto isForward = [](const Problem &p) { return p.kind == ConvKind::Forward; };
  EXPECT_NEAR(share(isForward), 0.5, error);
  EXPECT_NEAR(share([](const Problem &p) { return p.kind == ConvKind::Dgrad; }),
              0.25, error);
  EXPECT_NEAR(share([](const Problem &p) { return p.type == "f32"; }), 0.33,
              error);
  EXPECT_NEAR(
      share([](const Problem &p) { return p.geometry.spatialRank == 3; }), 0.25,
      error);
  EXPECT_NEAR(share([](const Problem &p) { return p.geometry.filter[0] == 3; }),
              0.43, error);
  EXPECT_NEAR(share([](const Problem &p) { return p.geometry.stride[0] == 2; }),
              0.33, error);
  EXPECT_NEAR(
      share([](const Problem &p) { return p.geometry.dilation[0] == 2; }), 0.2,
      error);
  // Of the forward ones, which are half of all.
  EXPECT_NEAR(share([](const Problem &p) { return p.epilogue.bias; }), 0.125,
              error);
  EXPECT_NEAR(share([](const Problem &p) {
                return p.epilogue.activation == Activation::Relu;
              }),
              0.125, error);
  double grouped =
      share([](const Problem &p) { return p.geometry.groups > 1; });
  EXPECT_GT(grouped, 0.15);
  EXPECT_LT(grouped, 0.25 + error);
}

} // namespace
