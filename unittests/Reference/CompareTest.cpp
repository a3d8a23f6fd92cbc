//===- CompareTest.cpp - results against their reference ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors, tolerances, and what never passes.
//
//===----------------------------------------------------------------------===//

#include "conv/Reference/Compare.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace convmlir;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

using Doubles = std::vector<double>;

/// With bounds of `error`, of sums that are not exact unless that is 0.
Comparison compared(const Doubles &result, const Doubles &reference,
                    double error = 1e30, double tolerance = 1e-3,
                    ElementType type = ElementType::F64) {
  Expected expected{
      reference, Doubles(reference.size(), error), {}, error == 0};
  return compareExpected(result, expected, type, tolerance);
}

TEST(Compare, EqualTensorsPass) {
  Comparison same = compared({1, -2, 0}, {1, -2, 0}, 0);
  EXPECT_TRUE(same.passed);
  EXPECT_EQ(same.relativeError, 0);
  EXPECT_EQ(same.maxAbsError, 0);
  EXPECT_EQ(same.worstIndex, -1);
  EXPECT_EQ(same.compared, 3);
  EXPECT_EQ(describeWorst(same, {3}), "no element differs");
}

TEST(Compare, MeasuresTheFrobeniusNorm) {
  Comparison off = compared({3, 4.5, 1}, {3, 4, 0}, 2, 0.25);
  EXPECT_DOUBLE_EQ(off.relativeError, std::sqrt(0.25 + 1) / 5);
  EXPECT_EQ(off.maxAbsError, 1);
  EXPECT_EQ(off.worstIndex, 2);
  EXPECT_EQ(off.worstValue, 1);
  EXPECT_EQ(off.worstExpected, 0);
  EXPECT_TRUE(off.passed);
  EXPECT_FALSE(compared({3, 4.5, 1}, {3, 4, 0}, 2, 0.2).passed);
}

/// What cancels in a sum does not cancel in its error.
TEST(Compare, TheNormIsThatOfWhatWasAddedUp) {
  Expected expected{{0.001, 3}, {1, 1}, {4, 2}, false};
  Comparison found = compareExpected(Doubles{0.501, 3}, expected,
                                     ElementType::F64, /*tolerance=*/0.11);
  EXPECT_DOUBLE_EQ(found.relativeError, 0.5 / 5);
  EXPECT_TRUE(found.passed);
  expected.magnitudes = {4, inf};
  EXPECT_DOUBLE_EQ(compareExpected(Doubles{0.501, 3}, expected,
                                   ElementType::F64, 0.11)
                       .relativeError,
                   0.5 / 5);
  expected.magnitudes.clear();
  EXPECT_FALSE(compareExpected(Doubles{0.501, 3}, expected, ElementType::F64,
                               0.11)
                   .passed);
}

/// However small its part of the norm.
TEST(Compare, EveryElementHasItsBound) {
  Doubles many(10000, 1), off = many;
  off[17] = 1.02;
  EXPECT_LT(compared(off, many).relativeError, 1e-3);
  EXPECT_TRUE(compared(off, many, 0.03).passed);
  Comparison found = compared(off, many, 0.01);
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.worstIndex, 17);
  EXPECT_NEAR(found.worstBound, 0.01, 1e-9);
  EXPECT_EQ(describeWorst(found, {100, 100}),
            "element [0, 17] is 1.02, expected 1, at most 0.01 from it");
}

/// One that passes is not reported as the worst, however far it is off.
TEST(Compare, TheWorstElementIsOneThatFails) {
  Expected expected{{0, 100, 1, 1}, {1, 50, 0.1, 0.1}, {}, false};
  Comparison found = compareExpected(Doubles{0.5, 140, 1.2, 1.3}, expected,
                                     ElementType::F64, inf);
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.worstIndex, 3);
  EXPECT_DOUBLE_EQ(found.maxAbsError, 0.3);
}

/// What is right is what a number within the bound is rounded to.
TEST(Compare, BoundsAreThoseBeforeRounding) {
  auto passes = [](double result, double reference, double error,
                   ElementType type) {
    return compared({result}, {reference}, error, inf, type).passed;
  };
  constexpr ElementType bf16 = ElementType::BF16, f16 = ElementType::F16;
  // Below 1, neighbours of bf16 are 2^-8 apart.
  EXPECT_TRUE(passes(0.9921875, 0.994, 1e-6, bf16));
  EXPECT_FALSE(passes(0.99609375, 0.994, 1e-6, bf16));
  EXPECT_FALSE(passes(0.9921875, 0.9945, 1e-6, bf16));
  EXPECT_TRUE(passes(0.9921875, 0.99415, 1e-4, bf16));
  EXPECT_FALSE(passes(0.994, 0.994, 1e-6, bf16));
  // An overflow of the sum that is right, one that is not, and one that may be.
  EXPECT_TRUE(passes(inf, 1e6, 0, f16));
  EXPECT_FALSE(passes(65504, 1e6, 0, f16));
  EXPECT_FALSE(passes(inf, 65000, 1, f16));
  EXPECT_TRUE(passes(inf, 65519, 2, f16));
  EXPECT_TRUE(passes(65504, 65519, 2, f16));
  EXPECT_TRUE(passes(448, 1e6, 0, ElementType::E4M3));
  // Ties of integers may go either way, others not.
  EXPECT_TRUE(passes(2, 2.5, 1e-6, ElementType::S8));
  EXPECT_TRUE(passes(3, 2.5, 1e-6, ElementType::S8));
  EXPECT_FALSE(passes(3, 2.49, 1e-6, ElementType::S8));
  EXPECT_TRUE(passes(127, 1000, 0, ElementType::S8));
  EXPECT_FALSE(passes(-24, 1000, 0, ElementType::S8));
}

/// Neither does an overflow that is right spoil the norm of the others.
TEST(Compare, OverflowsAreNoPartOfTheNorm) {
  auto of = [](const Doubles &result, const Doubles &reference) {
    return compared(result, reference, 1, 1e-3, ElementType::F16);
  };
  EXPECT_TRUE(of({inf, 1, 65504}, {1e6, 1, 65520}).passed);
  EXPECT_EQ(of({inf, 1, 65504}, {1e6, 1, 65520}).relativeError, 0);
  EXPECT_FALSE(of({inf, 1.5, inf}, {1e6, 1, 1e6}).passed);
}

TEST(Compare, NaNPassesOnlyForItself) {
  for (double tolerance : {0.0, 1e-3, 1e30, inf}) {
    Comparison poisoned = compared({1, nan, nan}, {1, 2, 3}, 1e30, tolerance);
    EXPECT_FALSE(poisoned.passed);
    EXPECT_EQ(poisoned.relativeError, inf);
    EXPECT_EQ(poisoned.worstIndex, 1);
    EXPECT_FALSE(compared({1}, {nan}, 1e30, tolerance).passed);
    EXPECT_TRUE(compared({nan, 2}, {nan, 2}, 1e30, tolerance).passed);
  }
  // It is no part of the norm, which would hide what others differ by.
  EXPECT_FALSE(compared({nan, 1}, {nan, 2}).passed);
  EXPECT_DOUBLE_EQ(compared({nan, 1}, {nan, 2}).relativeError, 0.5);
}

TEST(Compare, NothingNeverPasses) {
  for (double tolerance : {0.0, 1e30}) {
    EXPECT_FALSE(compared({}, {}, 1, tolerance).passed);
    EXPECT_FALSE(compared({nan, nan}, {nan, nan}, 1, tolerance).passed);
    EXPECT_FALSE(compared({1, 2}, {1}, 1, tolerance).passed);
  }
  EXPECT_EQ(compared({nan, 2}, {nan, 2}).compared, 1);
  EXPECT_EQ(compared({inf}, {inf}).compared, 1);
}

TEST(Compare, InfinityPassesOnlyForItself) {
  EXPECT_FALSE(compared({inf, 1}, {5, 1}).passed);
  EXPECT_FALSE(compared({-inf}, {inf}).passed);
  EXPECT_FALSE(compared({1, 2}, {inf, 2}).passed);
  EXPECT_TRUE(compared({inf, 1}, {inf, 1}).passed);
  EXPECT_FALSE(compared({inf, 1}, {inf, 2}).passed);
}

TEST(Compare, ZeroReferenceWantsZeros) {
  EXPECT_TRUE(compared({0, 0}, {0, 0}).passed);
  EXPECT_FALSE(compared({0, 1e-30}, {0, 0}).passed);
}

TEST(Compare, ExactIsExactEvenBelowUnderflow) {
  EXPECT_FALSE(compared({1, 1e-300}, {1, 0}, 0).passed);
  EXPECT_TRUE(compared({1, -0.0}, {1, 0}, 0).passed);
}

TEST(Compare, DescribesTheWorstElement) {
  Comparison off = compared({0, 0, 0, 0, 0, 3.5}, {0, 0, 0, 0, 0, 4});
  EXPECT_EQ(describeWorst(off, {1, 2, 3}),
            "element [0, 1, 2] is 3.5, expected 4");
}

TEST(Compare, BoundsOfATolerance) {
  EXPECT_EQ(boundsOfTolerance(Doubles{1, -4, inf, nan}, {}, 0.5),
            Doubles(4, 8 * 0.5 * 4));
  EXPECT_EQ(boundsOfTolerance(Doubles{1, 2}, Doubles{3, 3}, 0), Doubles(2, 0));
  EXPECT_EQ(boundsOfTolerance(Doubles{1, 2, 0}, Doubles{1, 5, inf}, 0.5),
            (Doubles{8, 20, 8}));
}

TEST(Tolerance, IsThatOfArithmeticOrRounding) {
  EXPECT_EQ(tolerance("f64", "f64"), 1e-14);
  EXPECT_EQ(tolerance("f32", "f32"), 1e-6);
  EXPECT_EQ(tolerance("tf32", "f32"), 1e-3);
  EXPECT_EQ(tolerance("f16", "f16"), 1e-3);
  EXPECT_EQ(tolerance("bf16", "bf16"), 8e-3);
  EXPECT_EQ(tolerance("e4m3", "f32"), 2e-3);
  EXPECT_EQ(tolerance("e5m2", "bf16"), 8e-3);
  EXPECT_EQ(tolerance("bf16", "f32"), 1e-5);
  EXPECT_EQ(tolerance("s8", "s32"), 0);
  for (const std::string &type : inputTypes())
    for (const std::string &outType : resultTypes(type))
      EXPECT_EQ(tolerance(type, outType) == 0,
                outType == "s32" || outType == "s8");
}

/// Of errors of as many roundings.
TEST(Tolerance, GrowsWithTheSumsOfF32) {
  auto of = [](const std::string &more) {
    return tolerance(*parseProblem("wgrad c=1 h=100 k=1 r=1 s=1 " + more));
  };
  EXPECT_EQ(of("w=10 type=f32"), 1e-6);
  EXPECT_DOUBLE_EQ(of("n=10 w=100 type=f32"), 1e-5);
  EXPECT_EQ(of("n=10 w=100 type=f32 out-type=bf16"), 8e-3);
  EXPECT_EQ(of("n=10 w=100 type=tf32"), 1e-3);
}

TEST(Tolerance, LetsFewTiesOfAnEpilogueRoundTheOtherWay) {
  auto of = [](const std::string &more) {
    return tolerance(*parseProblem("forward c=1 w=2 k=1 s=1 " + more));
  };
  EXPECT_EQ(of("type=s8 out-type=s8 epilogue=bias,relu"), 0);
  EXPECT_EQ(of("type=s8 out-type=s8 epilogue=scale"), 1e-3);
  EXPECT_EQ(of("type=s8 out-type=f32 epilogue=scale"), 1e-6);
  EXPECT_EQ(of("type=bf16 epilogue=gelu"), 8e-3);
}

TEST(Tolerance, OfABiasGradientIsThatOfItsType) {
  auto of = [](const std::string &more) {
    return biasGradientTolerance(
        *parseProblem("wgrad c=1 w=2 k=1 s=1 epilogue=dbias " + more));
  };
  EXPECT_EQ(of("out-type=f32"), 1e-5);
  EXPECT_EQ(of("out-type=f32 bias-type=bf16"), 8e-3);
  EXPECT_EQ(of("type=f64"), 1e-14);
}

TEST(LargestExactInteger, IsWhereTheNextOneIsLost) {
  EXPECT_EQ(largestExactInteger("f64"), 9007199254740992.0);
  EXPECT_EQ(largestExactInteger("f32"), 16777216);
  EXPECT_EQ(largestExactInteger("tf32"), 2048);
  EXPECT_EQ(largestExactInteger("f16"), 2048);
  EXPECT_EQ(largestExactInteger("bf16"), 256);
  EXPECT_EQ(largestExactInteger("e4m3"), 16);
  EXPECT_EQ(largestExactInteger("e5m2"), 8);
  EXPECT_EQ(largestExactInteger("s8"), 127);
  EXPECT_EQ(largestExactInteger("s32"), 2147483647);
}

} // namespace
