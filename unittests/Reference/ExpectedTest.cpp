//===- ExpectedTest.cpp - what a correct kernel may give ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mutations: a result passes, and one with a single element just beyond its
// bound does not, for every type, epilogue, kind of data, and for all elements
// as for some. What bounds are made of; integers that wrap and saturate.
//
//===----------------------------------------------------------------------===//

#include "conv/Reference/Expected.h"
#include "conv/Problem/RandomProblem.h"
#include "conv/Reference/Compare.h"
#include "conv/Runtime/Tensor.h"

#include <cmath>
#include <gtest/gtest.h>
#include <optional>

using namespace convmlir;

namespace {

using Doubles = std::vector<double>;

Problem parse(const std::string &text) {
  Result<Problem> problem = parseProblem(text);
  EXPECT_TRUE(problem) << problem.error();
  return problem ? *problem : Problem();
}

ElementType typeOf(const std::string &name) { return *parseElementType(name); }

Expected expect(const Problem &problem, const std::vector<Doubles> &arguments,
                const std::vector<int64_t> &positions = {}) {
  ReferenceArguments<double> spans(arguments.begin(), arguments.end());
  Result<Expected> expected =
      computeExpected<double>(problem, spans, positions);
  EXPECT_TRUE(expected) << expected.error();
  return expected ? *expected : Expected();
}

/// Small integers, or numbers in [-2, 2].
std::vector<Doubles> draw(const Problem &problem, bool isWhole) {
  CounterRng rng(7);
  std::vector<Doubles> arguments;
  for (const TensorSpec &spec : problem.arguments()) {
    Doubles &values = arguments.emplace_back();
    for (int64_t i = 0; i < spec.numElements(); ++i) {
      double value = isWhole
                         ? static_cast<double>(rng.uniform(-2, 2))
                         : static_cast<double>(rng.uniform(-999, 999)) / 500;
      values.push_back(roundTo(typeOf(spec.type), value));
    }
  }
  return arguments;
}

/// The next number of the type in that direction; none where it saturates.
std::optional<double> next(ElementType type, double value, double direction) {
  double step = 1e-45;
  while (std::isfinite(step) &&
         roundTo(type, value + direction * step) == value)
    step *= 2;
  double found = roundTo(type, value + direction * step);
  return found == value ? std::nullopt : std::optional(found);
}

Comparison compared(const Doubles &result, const Expected &expected,
                    ElementType type) {
  return compareExpected(result, expected, type, /*tolerance=*/HUGE_VAL);
}

/// What the bounds allow passes; a single element beyond its bound does not.
void mutate(const Expected &expected, ElementType type,
            const std::string &what) {
  Doubles low, high, exact;
  for (size_t i = 0; i < expected.values.size(); ++i) {
    exact.push_back(roundTo(type, expected.values[i]));
    low.push_back(roundTo(type, expected.values[i] - expected.errors[i]));
    high.push_back(roundTo(type, expected.values[i] + expected.errors[i]));
  }
  for (const Doubles &result : {exact, low, high})
    EXPECT_TRUE(compared(result, expected, type).passed) << what;
  int mutations = 0;
  for (size_t i = 0; i < exact.size(); ++i)
    for (double direction : {-1.0, 1.0}) {
      double end = direction < 0 ? low[i] : high[i];
      std::optional<double> beyond = next(type, end, direction);
      if (!beyond)
        continue;
      Doubles mutated = exact;
      mutated[i] = *beyond;
      Comparison found = compared(mutated, expected, type);
      EXPECT_FALSE(found.passed) << what << ", element " << i;
      EXPECT_EQ(found.worstIndex, static_cast<int64_t>(i)) << what;
      ++mutations;
    }
  EXPECT_GT(mutations, 0) << what;
}

/// Whole results and samples.
void mutateBoth(const std::string &line, bool isWhole) {
  Problem problem = parse(line);
  std::vector<Doubles> arguments = draw(problem, isWhole);
  Expected all = expect(problem, arguments);
  ElementType type = typeOf(problem.outType);
  std::string what = line + (isWhole ? ", integers" : ", random");
  EXPECT_EQ(all.hasExactSums, isWhole || problem.type == "s8") << what;
  mutate(all, type, what);
  std::vector<int64_t> positions = {0, 3, problem.result().numElements() - 1};
  Expected some = expect(problem, arguments, positions);
  for (size_t i = 0; i < positions.size() && !all.hasExactSums; ++i) {
    double magnitude = all.magnitudes[positions[i]];
    // Behind a function they are quotients of small differences.
    EXPECT_NEAR(some.magnitudes[i], magnitude, 0.05 * magnitude) << what;
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    EXPECT_NEAR(some.values[i], all.values[positions[i]], 1e-9) << what;
    double error = all.errors[positions[i]];
    EXPECT_NEAR(some.errors[i], error, 1e-6 * error) << what;
  }
  mutate(some, type, what + ", sample");
}

std::vector<std::string> epiloguesOf(ConvKind kind) {
  if (kind == ConvKind::Wgrad)
    return {"", " accumulate=true", " epilogue=dbias"};
  std::vector<std::string> list = {"", " accumulate=true"};
  if (kind == ConvKind::Forward)
    list.insert(list.end(),
                {" epilogue=scale", " epilogue=bias", " epilogue=residual",
                 " epilogue=scale,bias,residual accumulate=true"});
  for (Activation activation : allActivations())
    list.push_back(
        std::string(" epilogue=") + (kind == ConvKind::Dgrad ? "d" : "bias,") +
        toString(activation) + (activation == Activation::Clip ? ":-1:6" : ""));
  return list;
}

/// A kernel that adds in f32.
Doubles sumInF32(const Doubles &x, const Doubles &w, double bias,
                 size_t elements) {
  Doubles result;
  size_t terms = w.size();
  for (size_t i = 0; i < elements; ++i) {
    float sum = 0;
    for (size_t c = 0; c < terms; ++c)
      sum += static_cast<float>(x[i * terms + c]) * static_cast<float>(w[c]);
    result.push_back(sum + static_cast<float>(bias));
  }
  return result;
}

/// A bias that cancels the sums leaves their errors: these are measured by what
/// was added up. A kernel that leaves out a product fails.
TEST(Expected, CancellationFailsNoRightKernel) {
  constexpr size_t terms = 500, elements = 8;
  Problem problem =
      parse("forward c=500 w=8 k=1 s=1 type=f32 epilogue=bias");
  CounterRng rng(3);
  Doubles x, w;
  for (size_t i = 0; i < terms * elements; ++i)
    x.push_back(roundTo(ElementType::F32, 1 + rng.uniform(0, 999) / 1e7));
  for (size_t i = 0; i < terms; ++i)
    w.push_back(roundTo(ElementType::F32, 1 + rng.uniform(0, 999) / 1e7));
  double bias = -sumInF32(x, w, 0, 1)[0];
  Expected expected = expect(problem, {x, w, {bias}});
  Doubles result = sumInF32(x, w, bias, elements);
  Comparison found = compareExpected(result, expected, ElementType::F32,
                                     tolerance(problem));
  EXPECT_TRUE(found.passed) << found.relativeError;
  EXPECT_GT(found.maxAbsError, 0);
  Expected unknown = expected;
  unknown.magnitudes.clear();
  EXPECT_GT(compareExpected(result, unknown, ElementType::F32, 1).relativeError,
            tolerance(problem));
  w[17] = 0;
  EXPECT_FALSE(compareExpected(sumInF32(x, w, bias, elements), expected,
                               ElementType::F32, tolerance(problem))
                   .passed);
}

TEST(Mutations, OneElementBeyondItsBoundFails) {
  for (const std::string &type : inputTypes())
    for (const std::string &out : resultTypes(type))
      for (const char *op : {"forward", "dgrad", "wgrad"}) {
        std::string line = std::string(op) + " c=3 h=3 w=2 k=2 r=2 s=2 pad=1" +
                           " type=" + type + " out-type=" + out;
        for (const std::string &epilogue : epiloguesOf(parse(line).kind))
          for (bool isWhole : {true, false})
            mutateBoth(line + epilogue, isWhole);
      }
}

TEST(Mutations, OfTheGradientOfABias) {
  for (const std::string &type : inputTypes())
    for (bool isWhole : {true, false}) {
      Problem problem =
          parse("wgrad c=1 h=3 w=4 k=2 r=1 s=1 epilogue=dbias type=" + type);
      Doubles dy = draw(problem, isWhole)[1];
      Expected expected = computeExpectedBiasGradient<double>(problem, dy);
      EXPECT_EQ(expected.hasExactSums, isWhole || type == "s8");
      mutate(expected, typeOf(accumulationType(type)), "dbias " + type);
    }
}

/// Bounds that are as wide as the numbers would let everything pass.
TEST(Bounds, AreSmall) {
  for (const std::string &type : inputTypes())
    for (const std::string &out : resultTypes(type)) {
      Problem problem = parse("forward c=8 h=5 w=5 k=4 r=3 s=3 type=" + type +
                              " out-type=" + out + " epilogue=bias,relu");
      for (bool isWhole : {true, false}) {
        Expected expected = expect(problem, draw(problem, isWhole));
        double largest = 0, error = 0;
        for (size_t i = 0; i < expected.values.size(); ++i) {
          largest = std::max(largest, std::abs(expected.values[i]));
          error = std::max(error, expected.errors[i]);
        }
        bool isFloat8 = type == "e4m3" || type == "e5m2";
        EXPECT_LE(error, largest * (isFloat8 ? 4e-3 : 3e-5)) << type;
        if (isWhole) {
          EXPECT_EQ(error, 0) << type;
        }
      }
    }
}

/// One product of 1 and a derivative that is nearly 0: what is nearly 0 as well
/// is not right for that.
TEST(Bounds, FollowSmallDerivatives) {
  Problem problem = parse("dgrad c=1 w=1 k=1 s=1 type=f32 epilogue=dtanh");
  Expected expected = expect(problem, {{1}, {1}, {-9.0109138}});
  EXPECT_LT(expected.errors[0], 1e-6 * expected.values[0]);
  EXPECT_FALSE(compared({0}, expected, ElementType::F32).passed);
  EXPECT_FALSE(compared({5.97e-8}, expected, ElementType::F32).passed);
  EXPECT_TRUE(compared({roundTo(ElementType::F32, expected.values[0])},
                       expected, ElementType::F32)
                  .passed);
}

/// A sum that is not exact makes a function as uncertain as it is steep there.
TEST(Bounds, FollowTheSlope) {
  Problem problem =
      parse("forward c=64 w=1 k=1 s=1 type=f32 epilogue=bias,tanh");
  auto errorAt = [&](double bias) {
    std::vector<Doubles> arguments(2, Doubles(64, 0.1));
    arguments.push_back({bias});
    return expect(problem, arguments).errors[0];
  };
  EXPECT_GT(errorAt(-0.64), 1e-6);
  EXPECT_LT(errorAt(8), 1e-6);
}

TEST(Bounds, KnowTheLimitOfShortSums) {
  Problem problem = parse("forward c=64 w=1 k=1 s=1 type=e4m3 out-type=f32");
  Expected expected = expect(problem, {Doubles(64, 0.75), Doubles(64, 0.75)});
  EXPECT_FALSE(expected.hasExactSums);
  EXPECT_NEAR(expected.errors[0], 36 * 0x1p-11, 36 * 0x1p-13);
}

/// What is not finite is right or wrong, without a bound.
TEST(Bounds, OfInfinitiesAndNaN) {
  Problem problem = parse("forward c=1 w=3 k=1 s=1 type=f32");
  Expected expected = expect(problem, {{INFINITY, NAN, 0.1}, {0.3}});
  EXPECT_EQ(expected.errors[0], 0);
  EXPECT_EQ(expected.errors[1], 0);
  EXPECT_GT(expected.errors[2], 0);
  EXPECT_TRUE(compared({INFINITY, NAN, roundTo(ElementType::F32, 0.03)},
                       expected, ElementType::F32)
                  .passed);
  EXPECT_FALSE(compared({1e38, NAN, roundTo(ElementType::F32, 0.03)}, expected,
                        ElementType::F32)
                   .passed);
}

TEST(Integers, SumsWrapAndWhatIsAddedSaturates) {
  auto result = [](const std::string &more, std::vector<Doubles> arguments) {
    Problem problem = parse("forward w=1 k=1 s=1 type=s8 " + more);
    Expected all = expect(problem, arguments);
    EXPECT_EQ(expect(problem, arguments, {0}).values, all.values);
    EXPECT_EQ(all.errors[0], 0);
    return all.values[0];
  };
  constexpr int64_t many = 131072;
  constexpr double most = 0x1p31 - 1;
  Doubles lowest(many, -128);
  std::string wide = "c=131072";
  EXPECT_EQ(result(wide, {lowest, lowest}), -0x1p31);
  EXPECT_EQ(result(wide + " epilogue=bias", {lowest, lowest, {-1}}), -0x1p31);
  EXPECT_EQ(result("c=1 epilogue=bias", {{1}, {1}, {most}}), most);
  EXPECT_EQ(result("c=1 out-type=s8 epilogue=bias", {{1}, {1}, {most}}), most);
  EXPECT_EQ(result("c=1 epilogue=bias", {{-1}, {1}, {-0x1p31}}), -0x1p31);
  EXPECT_EQ(result("c=1 accumulate=true", {{1}, {1}, {most}}), most);
  // One after the other.
  EXPECT_EQ(result("c=1 epilogue=bias,residual", {{1}, {1}, {most}, {-5}}),
            most - 5);
  EXPECT_EQ(computeExpectedBiasGradient<double>(
                parse("wgrad c=1 w=1 k=1 s=1 type=s8 epilogue=dbias"),
                Doubles(size_t(1) << 24, -128))
                .values[0],
            -0x1p31);
}

/// Scale and bias are one fused multiply-add, as in the kernel: 100.5 - 297 / 3
/// is a little below a tie; with the product rounded first it would be one.
TEST(Integers, ScaleAndBiasAreRoundedOnce) {
  Problem problem =
      parse("forward c=1 w=1 k=1 s=1 type=s8 out-type=s8 epilogue=scale,bias");
  auto third = static_cast<double>(1.0f / 3);
  Expected expected = expect(problem, {{-99}, {3}, {third}, {100.5}});
  EXPECT_LT(expected.values[0], 1.499998);
  EXPECT_LT(expected.errors[0], 1e-6);
  EXPECT_TRUE(compared({1}, expected, ElementType::S8).passed);
  EXPECT_FALSE(compared({2}, expected, ElementType::S8).passed);
}

} // namespace
