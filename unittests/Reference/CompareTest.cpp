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

Comparison compared(const Doubles &result, const Doubles &reference,
                    double tolerance = 1e-3) {
  return compare(result, reference, tolerance);
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
  Comparison off = compared({3, 4.5, 1}, {3, 4, 0}, 0.25);
  EXPECT_DOUBLE_EQ(off.relativeError, std::sqrt(0.25 + 1) / 5);
  EXPECT_EQ(off.maxAbsError, 1);
  EXPECT_EQ(off.worstIndex, 2);
  EXPECT_EQ(off.worstValue, 1);
  EXPECT_EQ(off.worstExpected, 0);
  EXPECT_TRUE(off.passed);
  EXPECT_FALSE(compared({3, 4.5, 1}, {3, 4, 0}, 0.2).passed);
}

TEST(Compare, NaNPassesOnlyForItself) {
  for (double tolerance : {0.0, 1e-3, 1e30, inf}) {
    Comparison poisoned = compared({1, nan, nan}, {1, 2, 3}, tolerance);
    EXPECT_FALSE(poisoned.passed);
    EXPECT_EQ(poisoned.relativeError, inf);
    EXPECT_EQ(poisoned.worstIndex, 1);
    EXPECT_FALSE(compared({1}, {nan}, tolerance).passed);
    EXPECT_TRUE(compared({nan, 2}, {nan, 2}, tolerance).passed);
  }
  // It is no part of the norm, which would hide what others differ by.
  EXPECT_FALSE(compared({nan, 1}, {nan, 2}).passed);
  EXPECT_DOUBLE_EQ(compared({nan, 1}, {nan, 2}).relativeError, 0.5);
}

TEST(Compare, NothingNeverPasses) {
  for (double tolerance : {0.0, 1e30}) {
    EXPECT_FALSE(compared({}, {}, tolerance).passed);
    EXPECT_FALSE(compared({nan, nan}, {nan, nan}, tolerance).passed);
    EXPECT_FALSE(compared({1, 2}, {1}, tolerance).passed);
  }
  EXPECT_FALSE(compareFunctions(Doubles{}, Doubles{}, "f32").passed);
  EXPECT_FALSE(compareFunctions(Doubles{nan}, Doubles{nan}, "f32").passed);
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

TEST(Compare, ZeroToleranceIsExactEvenBelowUnderflow) {
  EXPECT_FALSE(compared({1, 1e-300}, {1, 0}, 0).passed);
  EXPECT_TRUE(compared({1, -0.0}, {1, 0}, 0).passed);
}

TEST(Compare, DescribesTheWorstElement) {
  Comparison off = compared({0, 0, 0, 0, 0, 3.5}, {0, 0, 0, 0, 0, 4});
  EXPECT_EQ(describeWorst(off, {1, 2, 3}),
            "element [0, 1, 2] is 3.5, expected 4");
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

TEST(CompareFunctions, BoundsEveryElement) {
  auto passes = [](double result, double reference, const char *type) {
    return compareFunctions(Doubles{1000, result}, Doubles{1000, reference},
                            type)
        .passed;
  };
  // A unit in the last place of bf16 below 1 is 2^-8, of f16 below 2 2^-10.
  EXPECT_TRUE(passes(0.99609375, 0.9921875, "bf16"));
  EXPECT_FALSE(passes(1.015625, 0.9921875, "bf16"));
  EXPECT_TRUE(passes(-1.5009765625, -1.5, "f16"));
  EXPECT_FALSE(passes(-1.505859375, -1.5, "f16"));
  EXPECT_TRUE(passes(9e-7, 0, "f32"));
  EXPECT_FALSE(passes(2e-6, 0, "f32"));
  EXPECT_FALSE(passes(1, 0, "s8"));
  EXPECT_FALSE(passes(nan, 0, "f16"));
  EXPECT_TRUE(passes(inf, inf, "f16"));
  EXPECT_FALSE(passes(3, inf, "f16"));
  EXPECT_TRUE(passes(nan, nan, "f16"));
  // Where a function is a factor, errors are those of the largest.
  EXPECT_FALSE(passes(5e-4, 0, "f32"));
  EXPECT_TRUE(compareFunctions(Doubles{1000, 5e-4}, Doubles{1000, 0}, "f32",
                               /*isFactor=*/true)
                  .passed);
  EXPECT_FALSE(compareFunctions(Doubles{1000, 5e-3}, Doubles{1000, 0}, "f32",
                                /*isFactor=*/true)
                   .passed);
  Comparison found =
      compareFunctions(Doubles{1, 2, 3}, Doubles{1, 2.5, 3}, "f32");
  EXPECT_EQ(found.worstIndex, 1);
  EXPECT_EQ(found.worstExpected, 2.5);
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
