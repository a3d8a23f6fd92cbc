//===- RandomProblemTest.cpp - random problems and their shrinking --------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random problems stay within their limits, depend on the seed alone and reach
// the corners they are meant to reach; shrinking gives simpler, well-formed
// problems and ends.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/RandomProblem.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

FuzzLimits everything() {
  FuzzLimits limits;
  limits.kinds = {ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad};
  limits.spatialRanks = {1, 2, 3};
  limits.types = inputTypes();
  limits.layouts = {TensorLayout::NHWC, TensorLayout::NCHW};
  limits.secondTypes = limits.outTypes = true;
  limits.groups = limits.epilogues = true;
  limits.inputDilations = limits.emptyBatch = true;
  limits.flips = limits.accumulations = limits.biasTypes = true;
  return limits;
}

Problem draw(uint64_t seed, uint64_t stream, const FuzzLimits &limits) {
  CounterRng rng(seed, stream);
  return randomProblem(rng, limits);
}

TEST(CounterRng, DependsOnSeedStreamAndCounter) {
  CounterRng a(1, 2), same(1, 2), otherStream(1, 3), otherSeed(2, 2);
  uint64_t first = a.next();
  EXPECT_EQ(first, same.next());
  EXPECT_NE(first, a.next());
  EXPECT_NE(first, otherStream.next());
  EXPECT_NE(first, otherSeed.next());
}

TEST(CounterRng, UniformCoversItsRange) {
  CounterRng rng(7);
  std::vector<int> seen(6);
  for (int i = 0; i < 600; ++i)
    ++seen.at(rng.uniform(-2, 3) + 2);
  for (int count : seen)
    EXPECT_GT(count, 50);
  EXPECT_EQ(rng.uniform(4, 4), 4);
}

TEST(RandomProblem, IsWellFormedAndParsesBack) {
  for (int i = 0; i < 3000; ++i) {
    Problem p = draw(1, i, everything());
    ASSERT_TRUE(p.check()) << p.check().error();
    Result<Problem> parsed = parseProblem(toString(p));
    ASSERT_TRUE(parsed) << toString(p) << ": " << parsed.error();
    ASSERT_EQ(*parsed, p) << toString(p);
  }
}

TEST(RandomProblem, StaysWithinItsLimits) {
  FuzzLimits limits;
  limits.maxMultiplyAdds = 10000;
  limits.maxChannels = 40;
  for (int i = 0; i < 1000; ++i) {
    Problem p = draw(2, i, limits);
    ASSERT_EQ(p.kind, ConvKind::Forward);
    ASSERT_EQ(p.geometry.spatialRank, 2);
    ASSERT_EQ(p.geometry.groups, 1);
    ASSERT_LE(p.geometry.c, 40);
    ASSERT_LE(p.geometry.k, 40);
    ASSERT_LE(p.geometry.flops() / 2, 10000);
    ASSERT_FALSE(p.epilogue.any());
    ASSERT_FALSE(p.geometry.hasInputDilation());
  }
}

TEST(RandomProblem, TinyLimitsCanBeMet) {
  FuzzLimits limits = everything();
  limits.maxChannels = 1;
  limits.maxMultiplyAdds = 1;
  EXPECT_LE(draw(3, 0, limits).geometry.flops(), 2);
}

TEST(RandomProblem, SeedReproducesTheCase) {
  EXPECT_EQ(draw(5, 17, everything()), draw(5, 17, everything()));
  EXPECT_NE(draw(5, 17, everything()), draw(6, 17, everything()));
  EXPECT_NE(draw(5, 17, everything()), draw(5, 18, everything()));
}

TEST(RandomProblem, ReachesTheCorners) {
  int crop = 0, uneven = 0, wide = 0, gap = 0, common = 0, odd = 0, most = 0,
      depthwise = 0, empty = 0, epilogue = 0, rounded = 0, clip = 0,
      pointwise = 0, derivative = 0, twoTypes = 0;
  for (int i = 0; i < 3000; ++i) {
    Problem p = draw(4, i, everything());
    const ConvGeometry &g = p.geometry;
    crop += g.padLow[0] < 0 || g.padHigh[0] < 0;
    uneven += g.padLow[0] != g.padHigh[0];
    wide += g.padLow[0] >= g.dilatedFilter(0);
    gap += g.stride[0] > g.dilatedFilter(0);
    common += g.stride[0] > 1 && g.stride[0] == g.dilation[0];
    odd += g.c % 8 != 0;
    most += g.c > 128 || g.k > 128;
    depthwise += g.groups > 1 && g.groups == g.c;
    empty += g.n == 0;
    pointwise += g.filter == Spatial{1, 1, 1} && g.stride == Spatial{1, 1, 1} &&
                 g.padLow == Spatial{} && g.padHigh == Spatial{} &&
                 g.input[g.spatialRank - 1] % 8 == 0;
    epilogue += p.epilogue.any();
    rounded += p.epilogue.isRounded();
    derivative += p.epilogue.derivative;
    twoTypes += !p.secondType.empty();
    clip += p.epilogue.activation == Activation::Clip;
    EXPECT_FALSE(p.epilogue.isRounded() && p.type == "f64");
  }
  EXPECT_GT(clip, 15);
  for (int count : {crop, uneven, wide, gap, common, odd, depthwise, epilogue,
                    rounded, pointwise, derivative, twoTypes})
    EXPECT_GT(count, 60);
  EXPECT_GT(most, 5);
  EXPECT_GT(empty, 10);
}

/// Extents plus the distance of every attribute from its simplest value.
int64_t complexity(const Problem &p) {
  const ConvGeometry &g = p.geometry;
  int64_t sum = g.n + g.c + g.k + g.groups + g.spatialRank;
  for (int d = 0; d < g.spatialRank; ++d)
    sum += g.input[d] + g.filter[d] + g.stride[d] + g.dilation[d] +
           g.inputDilation[d] + std::abs(g.padLow[d]) + std::abs(g.padHigh[d]);
  sum += p.epilogue.scale + p.epilogue.bias + p.epilogue.residual;
  sum += p.epilogue.activation != Activation::None;
  sum += p.epilogue.biasGradient;
  sum += p.accumulate + g.flip;
  sum += p.outType != resultTypes(p.type).front();
  sum += !p.biasType.empty();
  sum += !p.secondType.empty();
  return sum + (p.layout != TensorLayout::NHWC);
}

TEST(Shrink, GivesSimplerWellFormedProblems) {
  for (int i = 0; i < 500; ++i) {
    Problem p = draw(8, i, everything());
    for (const Problem &candidate : shrink(p)) {
      ASSERT_TRUE(candidate.check()) << toString(candidate);
      ASSERT_LT(complexity(candidate), complexity(p))
          << toString(p) << " to " << toString(candidate);
      ASSERT_EQ(candidate.kind, p.kind);
      ASSERT_EQ(candidate.type, p.type);
    }
  }
}

TEST(Shrink, EverythingEndsAtTheSimplestProblem) {
  for (int i = 0; i < 50; ++i) {
    Problem p = draw(9, i, everything());
    p.geometry.n = std::max<int64_t>(p.geometry.n, 1);
    Problem least = minimize(
        p, [](const Problem &) { return true; }, 1000);
    EXPECT_EQ(least.geometry, [] {
      ConvGeometry one;
      one.spatialRank = 1;
      return one;
    }()) << toString(least);
    EXPECT_TRUE(shrink(least).empty());
  }
}

TEST(Minimize, KeepsWhatTheFailureNeeds) {
  auto fails = [](const Problem &p) {
    const ConvGeometry &g = p.geometry;
    return g.c > 8 && g.spatialRank == 2 && g.stride[1] > 1 &&
           g.padLow[0] != g.padHigh[0] &&
           p.epilogue.activation == Activation::Gelu;
  };
  Problem p = *parseProblem(
      "forward n=3 c=57 h=17 w=23 k=33 r=3 s=5 stride=2x3 pad=1:0x2 "
      "dilation=1x2 layout=nchw epilogue=bias,gelu");
  ASSERT_TRUE(fails(p));
  Problem least = minimize(p, fails);
  ASSERT_TRUE(fails(least));
  EXPECT_EQ(toString(least),
            "forward n=1 c=9 h=1 w=1 k=1 r=1 s=1 stride=1x2 pad=1:0x0 "
            "dilation=1 groups=1 type=bf16 epilogue=gelu");
}

TEST(Minimize, StopsAtItsBudget) {
  int trials = 0;
  Problem p = *parseProblem("forward c=100 w=50 k=100 s=3");
  minimize(
      p,
      [&](const Problem &) {
        ++trials;
        return false;
      },
      5);
  EXPECT_EQ(trials, 5);
}

} // namespace
