//===- RandomLayer.cpp - problems as layers have them ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: random numbers and how large a problem may be. Output: a problem drawn
// as the tests of cuDNN's frontend draw theirs. The ranges are those of
// test/python/conv/graph/test_conv_fuzzer.py in
// github.com/NVIDIA/cudnn-frontend (commit 07b111f1fea2); docs/ConvRun.md has
// them as a table.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/RandomProblem.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace convmlir;

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// A square, so that small numbers come up more often; where `isAligned`, the
/// next multiple of 8.
static int64_t drawSquare(CounterRng &rng, int64_t mostRoot, bool isAligned) {
  constexpr int64_t unit = 8;
  int64_t root = rng.uniform(1, mostRoot);
  return isAligned ? roundUp(root * root, unit) : root * root;
}

/// A quarter has groups: of the usual numbers one that divides the channels.
/// Where none does, the channels of every other one become divisible.
static void drawGroups(CounterRng &rng, bool isAligned, ConvGeometry &g) {
  if (!rng.oneIn(4))
    return;
  std::vector<int64_t> numbers = {2, 4, 8, 16};
  if (!isAligned)
    numbers = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 32};
  std::vector<int64_t> divisors;
  for (int64_t number : numbers)
    if (std::gcd(g.c, g.k) % number == 0)
      divisors.push_back(number);
  if (divisors.empty() && rng.oneIn(2))
    return;
  g.groups = rng.pick(divisors.empty() ? numbers : divisors);
  g.c = roundUp(g.c, g.groups);
  g.k = roundUp(g.k, g.groups);
}

/// Padding is at most that which keeps the extent, or what a large filter
/// needs.
static void drawDimension(CounterRng &rng, bool isAligned, int d,
                          ConvGeometry &g) {
  constexpr int64_t mostRoot = 11;
  g.input[d] = drawSquare(rng, mostRoot, isAligned);
  g.filter[d] = rng.pick<int64_t>({1, 1, 3, 3, 3, 5, 7});
  g.dilation[d] = rng.pick<int64_t>({1, 1, 1, 1, 2});
  g.stride[d] = rng.pick<int64_t>({1, 1, 1, 2, 2, 3});
  int64_t pad = rng.uniform(0, (g.filter[d] - 1) / 2);
  while (g.input[d] + 2 * pad < g.dilatedFilter(d))
    ++pad;
  g.padLow[d] = g.padHigh[d] = pad;
}

static ConvGeometry drawGeometry(CounterRng &rng) {
  constexpr int64_t mostRoot = 16;
  bool isAligned = rng.oneIn(2);
  ConvGeometry g;
  g.spatialRank = rng.pick<int>({2, 2, 2, 3});
  g.n = rng.pick<int64_t>({1, 1, 2, 2, 4, 4, 8});
  g.c = drawSquare(rng, mostRoot, isAligned);
  g.k = drawSquare(rng, mostRoot, isAligned);
  for (int d = 0; d < g.spatialRank; ++d)
    drawDimension(rng, isAligned, d, g);
  drawGroups(rng, isAligned, g);
  return g;
}

/// Of forward: 12 of 20 nothing, 3 a bias, 3 a relu, 2 both.
static void drawEpilogue(CounterRng &rng, Epilogue &epilogue) {
  constexpr int64_t all = 20, none = 12, bias = 15, relu = 18;
  int64_t drawn = rng.uniform(1, all);
  epilogue.bias = (drawn > none && drawn <= bias) || drawn > relu;
  if (drawn > bias)
    epilogue.activation = Activation::Relu;
}

/// Halves what is largest: batch, channels of a group, or an extent, as long as
/// the filter fits.
static void cutDown(ConvGeometry &g) {
  std::vector<std::pair<int64_t, int64_t *>> sizes = {
      {g.n, &g.n}, {g.c / g.groups, &g.c}, {g.k / g.groups, &g.k}};
  for (int d = 0; d < g.spatialRank; ++d)
    if (g.input[d] / 2 + 2 * g.padLow[d] >= g.dilatedFilter(d))
      sizes.emplace_back(g.input[d], &g.input[d]);
  auto [size, extent] = *std::max_element(sizes.begin(), sizes.end());
  bool isChannels = extent == &g.c || extent == &g.k;
  *extent = isChannels ? size / 2 * g.groups : size / 2;
}

Problem convmlir::randomLayer(CounterRng &rng, int64_t maxMultiplyAdds) {
  Problem problem;
  problem.kind = rng.pick<ConvKind>(
      {ConvKind::Forward, ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad});
  problem.type = rng.pick<std::string>({"f16", "bf16", "f32"});
  problem.outType = problem.type;
  if (problem.kind == ConvKind::Forward)
    drawEpilogue(rng, problem.epilogue);
  problem.geometry = drawGeometry(rng);
  while (problem.geometry.flops() / 2 > maxMultiplyAdds)
    cutDown(problem.geometry);
  return problem;
}
