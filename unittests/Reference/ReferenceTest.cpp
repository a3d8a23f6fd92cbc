//===- ReferenceTest.cpp - the reference against the definition -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole and sampled references on random problems in exact integers, against
// every product of the definition enumerated one by one; closed-form cases; the
// identities that tie the three ops together.
//
//===----------------------------------------------------------------------===//

#include "conv/Reference/Reference.h"
#include "../Geometry/BruteForce.h"
#include "conv/Problem/RandomProblem.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace convmlir;
using namespace convmlir::test;

namespace {

using Doubles = std::vector<double>;

Problem parse(const std::string &text) {
  Result<Problem> problem = parseProblem(text);
  EXPECT_TRUE(problem) << problem.error();
  return problem ? *problem : Problem();
}

Doubles integers(std::mt19937_64 &rng, int64_t count) {
  Values values = randomValues(rng, count);
  return Doubles(values.begin(), values.end());
}

Doubles full(const Problem &problem, const std::vector<Doubles> &arguments) {
  ReferenceArguments<double> spans(arguments.begin(), arguments.end());
  Result<Doubles> result = computeReference(problem, spans);
  EXPECT_TRUE(result) << result.error();
  return result ? *result : Doubles();
}

Doubles sampled(const Problem &problem, const std::vector<Doubles> &arguments,
                const std::vector<int64_t> &positions) {
  ReferenceArguments<double> spans(arguments.begin(), arguments.end());
  Result<Doubles> result = sampleReference<double>(problem, spans, positions);
  EXPECT_TRUE(result) << result.error();
  return result ? *result : Doubles();
}

std::vector<Doubles> integerArguments(std::mt19937_64 &rng,
                                      const Problem &problem) {
  std::vector<Doubles> arguments;
  for (const TensorSpec &spec : problem.arguments())
    arguments.push_back(integers(rng, spec.numElements()));
  return arguments;
}

/// A channels-last tensor in channels-first order.
Doubles channelsFirst(const Doubles &last, const std::vector<int64_t> &shape) {
  int64_t channels = shape.back(), outer = shape.front(), positions = 1;
  for (size_t d = 1; d + 1 < shape.size(); ++d)
    positions *= shape[d];
  Doubles first(last.size());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t p = 0; p < positions; ++p)
      for (int64_t c = 0; c < channels; ++c)
        first[(o * channels + c) * positions + p] =
            last[(o * positions + p) * channels + c];
  return first;
}

class ReferenceOfRank : public testing::TestWithParam<int> {};

TEST_P(ReferenceOfRank, IsTheDefinition) {
  std::mt19937_64 rng(20);
  for (int i = 0; i < 250; ++i) {
    Problem p;
    p.type = p.outType = "f64";
    p.geometry = randomGeometry(rng, GetParam(), 1 + i % 3);
    const ConvGeometry &g = p.geometry;
    SCOPED_TRACE(toString(p));
    Doubles x = integers(rng, g.inputElements());
    Doubles w = integers(rng, g.filterElements());
    Doubles dy = integers(rng, g.outputElements());
    auto [y, dx, dw] = Definition(g, x, w, dy);
    auto expectAll = [&](ConvKind kind, const std::vector<Doubles> &arguments,
                         const Doubles &expected) {
      p.kind = kind;
      std::vector<int64_t> all(expected.size());
      std::iota(all.begin(), all.end(), 0);
      ASSERT_EQ(full(p, arguments), expected);
      ASSERT_EQ(sampled(p, arguments, all), expected);
    };
    expectAll(ConvKind::Forward, {x, w}, y);
    expectAll(ConvKind::Dgrad, {dy, w}, dx);
    expectAll(ConvKind::Wgrad, {x, dy}, dw);
  }
}

TEST_P(ReferenceOfRank, LayoutsDifferInOrderOnly) {
  std::mt19937_64 rng(21);
  for (int i = 0; i < 150; ++i) {
    Problem last;
    last.kind = ConvKind(i % 3);
    last.geometry = randomGeometry(rng, GetParam());
    if (last.kind == ConvKind::Forward)
      last.epilogue = {i % 3 == 0, i % 2 == 0, i % 4 < 2,
                       i % 5 < 2 ? Activation::Relu : Activation::None};
    Problem first = last;
    first.layout = TensorLayout::NCHW;
    std::vector<Doubles> arguments = integerArguments(rng, last), permuted;
    std::vector<TensorSpec> specs = last.arguments();
    for (size_t a = 0; a < specs.size(); ++a)
      permuted.push_back(specs[a].shape.size() == 1
                             ? arguments[a]
                             : channelsFirst(arguments[a], specs[a].shape));
    Doubles expected = full(last, arguments);
    expected = channelsFirst(expected, last.result().shape);
    std::vector<int64_t> all(expected.size());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(full(first, permuted), expected) << toString(first);
    ASSERT_EQ(sampled(first, permuted, all), expected) << toString(first);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ReferenceOfRank, testing::Values(1, 2, 3));

double dot(const Doubles &a, const Doubles &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(Reference, TheThreeOpsAreAdjoint) {
  FuzzLimits limits;
  limits.spatialRanks = {1, 2, 3};
  limits.groups = limits.inputDilations = limits.flips = true;
  limits.layouts = {TensorLayout::NHWC, TensorLayout::NCHW};
  limits.maxMultiplyAdds = 1 << 19;
  std::mt19937_64 rng(22);
  for (int i = 0; i < 100; ++i) {
    CounterRng draws(22, i);
    Problem forward = randomProblem(draws, limits);
    SCOPED_TRACE(toString(forward));
    Problem dgrad = forward, wgrad = forward;
    dgrad.kind = ConvKind::Dgrad;
    wgrad.kind = ConvKind::Wgrad;
    Doubles x = integers(rng, forward.geometry.inputElements());
    Doubles w = integers(rng, forward.geometry.filterElements());
    Doubles dy = integers(rng, forward.geometry.outputElements());
    double product = dot(dy, full(forward, {x, w}));
    ASSERT_EQ(product, dot(full(dgrad, {dy, w}), x));
    ASSERT_EQ(product, dot(full(wgrad, {x, dy}), w));
  }
}

TEST(Reference, DgradWithAnUntouchedPosition) {
  Problem p = parse("dgrad n=1 c=16 w=16 k=16 s=3 stride=2");
  ASSERT_EQ(p.geometry.output(0), 7);
  Doubles dx = full(p, {Doubles(7 * 16, 1), Doubles(16 * 3 * 16, 1)});
  Doubles expected{16, 16, 32, 16, 32, 16, 32, 16,
                   32, 16, 32, 16, 32, 16, 16, 0};
  for (int64_t w = 0; w < 16; ++w)
    for (int64_t c = 0; c < 16; ++c)
      EXPECT_EQ(dx[w * 16 + c], expected[w]) << w;
}

TEST(Reference, WgradWithHighPadding) {
  Problem p = parse("wgrad n=1 c=1 w=8 k=1 s=3 pad=0:2");
  ASSERT_EQ(p.geometry.output(0), 8);
  EXPECT_EQ(full(p, {Doubles(8, 1), Doubles(8, 1)}), (Doubles{8, 7, 6}));
}

TEST(Reference, DgradWithStrideBeyondTheFilterWritesZeros) {
  Problem p = parse("dgrad n=1 c=1 w=9 k=1 s=1 stride=4");
  EXPECT_EQ(full(p, {{5, 6, 7}, {2}}), (Doubles{10, 0, 0, 0, 12, 0, 0, 0, 14}));
}

TEST(Reference, InputDilationSpreadsTheInput) {
  Problem p = parse("forward c=1 w=3 k=1 s=2 input-dilation=2");
  EXPECT_EQ(full(p, {{1, 2, 3}, {10, 1}}), (Doubles{10, 2, 20, 3}));
}

TEST(Reference, FlipReadsTheFilterBackwards) {
  std::string shape = " c=1 w=3 k=1 s=2 flip=true";
  EXPECT_EQ(full(parse("forward" + shape), {{1, 2, 3}, {10, 1}}),
            (Doubles{21, 32}));
  EXPECT_EQ(full(parse("dgrad" + shape), {{1, 2}, {10, 1}}),
            (Doubles{1, 12, 20}));
  Problem wgrad = parse("wgrad" + shape);
  EXPECT_EQ(full(wgrad, {{1, 2, 3}, {10, 1}}), (Doubles{23, 12}));
  EXPECT_EQ(sampled(wgrad, {{1, 2, 3}, {10, 1}}, {0, 1}), (Doubles{23, 12}));
}

TEST(Reference, AccumulatesBeforeTheEpilogueClips) {
  std::string shape = " c=1 w=3 k=1 s=2 type=f32 accumulate=true";
  EXPECT_EQ(full(parse("wgrad" + shape), {{1, 2, 3}, {10, 1}, {100, -200}}),
            (Doubles{112, -177}));
  Problem forward = parse("forward" + shape + " epilogue=relu");
  ASSERT_EQ(forward.arguments().back().name, "y0");
  EXPECT_EQ(full(forward, {{1, 2, 3}, {10, 1}, {100, -200}}),
            (Doubles{112, 0}));
  EXPECT_EQ(sampled(forward, {{1, 2, 3}, {10, 1}, {100, -200}}, {1}),
            (Doubles{0}));
}

TEST(Reference, EpilogueAddsThenClips) {
  std::string shape = "forward c=1 w=2 k=2 s=1 type=f32 epilogue=";
  Doubles x{1, -2}, w{3, 5}, bias{10, 20}, residual{1, 2, -100, 4};
  EXPECT_EQ(full(parse(shape + "bias"), {x, w, bias}),
            (Doubles{13, 25, 4, 10}));
  EXPECT_EQ(full(parse(shape + "relu"), {x, w}), (Doubles{3, 5, 0, 0}));
  EXPECT_EQ(full(parse(shape + "residual"), {x, w, residual}),
            (Doubles{4, 7, -106, -6}));
  Problem all = parse(shape + "bias,residual,relu");
  EXPECT_EQ(full(all, {x, w, bias, residual}), (Doubles{14, 27, 0, 14}));
  EXPECT_EQ(sampled(all, {x, w, bias, residual}, {1, 3}), (Doubles{27, 14}));
}

TEST(Reference, EpilogueScalesTheSumAlone) {
  std::string shape = "forward c=1 w=2 k=2 s=1 type=f32 epilogue=";
  Doubles x{1, -2}, w{3, 5}, scale{2, -1}, bias{10, 20}, old{1, 1, 1, 1};
  EXPECT_EQ(full(parse(shape + "scale"), {x, w, scale}),
            (Doubles{6, -5, -12, 10}));
  Problem all = parse(shape + "bias,clip:0:17,scale accumulate=true");
  EXPECT_EQ(full(all, {x, w, scale, bias, old}), (Doubles{17, 16, 0, 17}));
  EXPECT_EQ(sampled(all, {x, w, scale, bias, old}, {1, 2}), (Doubles{16, 0}));
}

TEST(Reference, DerivativesAreFactorsOfTheSum) {
  std::string shape = "dgrad c=1 w=3 k=1 s=2 type=f32 epilogue=";
  Doubles dy{1, 2}, w{10, 1}, act{0.5, 0, 2}, old{100, 100, 100};
  EXPECT_EQ(full(parse(shape + "drelu"), {dy, w, act}), (Doubles{10, 0, 2}));
  EXPECT_EQ(full(parse(shape + "dclip:0:2 accumulate=true"), {dy, w, act, old}),
            (Doubles{110, 0, 0}));
  Problem smooth = parse(shape + "dsigmoid");
  EXPECT_EQ(full(smooth, {dy, w, {0, 0, 0}}), (Doubles{2.5, 5.25, 0.5}));
  EXPECT_EQ(sampled(smooth, {dy, w, {0, 0, 0}}, {1}), (Doubles{5.25}));
}

TEST(Reference, BiasGradientIsTheSumOverPositions) {
  std::string shape = "wgrad n=2 c=1 w=2 k=3 s=1 type=f32 epilogue=dbias";
  Doubles last{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Problem p = parse(shape);
  ASSERT_EQ(p.results().size(), 2u);
  EXPECT_EQ(p.results()[1], (TensorSpec{"db", {3}, "f32"}));
  EXPECT_EQ(computeBiasGradient<double>(p, last), (Doubles{22, 26, 30}));
  Doubles first{1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12};
  EXPECT_EQ(computeBiasGradient<double>(parse(shape + " layout=nchw"), first),
            (Doubles{22, 26, 30}));
}

TEST(Reference, EmptyBatch) {
  std::string shape = " n=0 c=2 h=5 w=5 k=3 r=2 s=2";
  EXPECT_TRUE(full(parse("forward" + shape), {{}, Doubles(24, 1)}).empty());
  EXPECT_TRUE(full(parse("dgrad" + shape), {{}, Doubles(24, 1)}).empty());
  EXPECT_EQ(full(parse("wgrad" + shape), {{}, {}}), Doubles(24, 0));
}

TEST(Reference, TakesFloats) {
  Problem p = parse("forward c=1 w=3 k=1 s=2 type=f32");
  std::vector<float> x{1, 2, 3}, w{1, 10};
  Result<Doubles> result = computeReference<float>(p, {x, w});
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, (Doubles{21, 32}));
  std::vector<int64_t> positions{1};
  EXPECT_EQ(*sampleReference<float>(p, {x, w}, positions), Doubles{32});
}

TEST(Reference, ResultDoesNotDependOnThreads) {
  std::mt19937_64 rng(23);
  for (const char *kind : {"forward", "dgrad", "wgrad"}) {
    Problem p = parse(std::string(kind) + " n=3 c=12 h=9 w=11 k=10 r=3 s=2 "
                                          "pad=1 stride=1x2 groups=2");
    std::vector<Doubles> arguments = integerArguments(rng, p);
    for (Doubles &argument : arguments)
      for (double &value : argument)
        value /= 7;
    ReferenceArguments<double> spans(arguments.begin(), arguments.end());
    ReferenceOptions one, five;
    one.threads = 1;
    five.threads = 5;
    EXPECT_EQ(*computeReference(p, spans, one),
              *computeReference(p, spans, five));
  }
}

TEST(Reference, ReportsProgressUpToTheEnd) {
  Problem p = parse("forward c=4 h=20 w=9 k=4 r=3 s=3");
  std::vector<float> x(p.geometry.inputElements()),
      w(p.geometry.filterElements());
  ReferenceOptions options;
  options.threads = 1;
  double last = 0;
  options.progress = [&](double done) {
    EXPECT_GT(done, last);
    last = done;
  };
  ASSERT_TRUE(computeReference<float>(p, {x, w}, options));
  EXPECT_EQ(last, 1);
}

TEST(Reference, RefusesArgumentsOfOtherSizes) {
  Problem p = parse("dgrad c=4 h=5 w=6 k=7 r=2 s=3");
  std::vector<float> dy(p.geometry.outputElements()), w(3);
  EXPECT_EQ(computeReference<float>(p, {dy, w}).error(),
            "w needs 168 elements, got 3");
  EXPECT_EQ(computeReference<float>(p, {dy}).error(),
            "the reference needs 2 arguments, got 1");
  w.resize(168);
  std::vector<int64_t> positions{120};
  EXPECT_EQ(sampleReference<float>(p, {dy, w}, positions).error(),
            "position 120 lies outside of the result's 120 elements");
  p.geometry.groups = 3;
  EXPECT_EQ(computeReference<float>(p, {dy, w}).error(),
            "conv-c5: groups (3) must divide input channels C (4)");
}

TEST(SamplePositions, CoverTheResultEvenly) {
  EXPECT_EQ(samplePositions(4, 9, 1), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(samplePositions(0, 9, 1).empty());
  EXPECT_EQ(samplePositions(100, 1, 1), std::vector<int64_t>{0});
  std::vector<int64_t> positions = samplePositions(1003, 10, 1);
  ASSERT_EQ(positions.size(), 10u);
  EXPECT_EQ(positions.front(), 0);
  EXPECT_EQ(positions.back(), 1002);
  for (size_t i = 0; i < positions.size(); ++i)
    EXPECT_EQ(std::min<int64_t>(positions[i] / 101, 9) - int64_t(i), 0)
        << positions[i];
  EXPECT_NE(positions, samplePositions(1003, 10, 2));
  EXPECT_EQ(positions, samplePositions(1003, 10, 1));
}

} // namespace
