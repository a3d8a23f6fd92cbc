//===- RandomProblem.cpp - problems for the differential tester -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a counter-based random number generator and limits. Output: a problem
// that passes check() and stays within them.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/RandomProblem.h"

#include <algorithm>

using namespace convmlir;

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit
/// reaches every output bit.
static uint64_t mix(uint64_t bits) {
  bits += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

uint64_t CounterRng::next() { return mix(mix(mix(seed) ^ stream) ^ counter++); }

int64_t CounterRng::uniform(int64_t low, int64_t high) {
  uint64_t range = static_cast<uint64_t>(high - low) + 1;
  // The bias of the remainder is below range / 2^64: no test can see it.
  return low + static_cast<int64_t>(next() % range);
}

/// Half of the draws lie around multiples of 8, where copies change their
/// width and tiles end; small counts are frequent.
static int64_t randomChannels(CounterRng &rng, int64_t most) {
  static const std::vector<int64_t> edges{1,  2,  3,  4,  5,  7,  8,   9,
                                          12, 16, 17, 24, 31, 32, 33,  40,
                                          48, 56, 63, 64, 65, 72, 127, 128};
  int64_t channels = rng.oneIn(2) ? rng.pick(edges)
                                  : rng.uniform(1, std::max<int64_t>(most, 1));
  return std::min(channels, most);
}

/// Groups as used in practice: none, a few, depthwise, depthwise with several
/// filters a channel.
static void drawChannels(CounterRng &rng, const FuzzLimits &limits,
                         ConvGeometry &g) {
  if (!limits.groups || !rng.oneIn(3)) {
    g.c = randomChannels(rng, limits.maxChannels);
    g.k = randomChannels(rng, limits.maxChannels);
    return;
  }
  bool depthwise = rng.oneIn(2);
  g.groups =
      depthwise
          ? randomChannels(rng, limits.maxChannels)
          : rng.uniform(2, std::min<int64_t>(
                               8, std::max<int64_t>(2, limits.maxChannels)));
  g.groups = std::min(g.groups, limits.maxChannels);
  int64_t most = limits.maxChannels / g.groups;
  g.c = g.groups * (depthwise ? 1 : randomChannels(rng, most));
  g.k = g.groups * (depthwise ? rng.uniform(1, std::min<int64_t>(most, 4))
                              : randomChannels(rng, most));
}

/// Extents, filter, stride, dilation and padding of one dimension.
static void drawDimension(CounterRng &rng, const FuzzLimits &limits, int d,
                          ConvGeometry &g) {
  static const int64_t maxInput[] = {80, 24, 9};
  static const std::vector<int64_t> filters{1, 1, 2, 3, 3, 3, 4, 5, 7};
  int64_t most = maxInput[g.spatialRank - 1];
  g.input[d] = rng.oneIn(8) ? rng.uniform(1, 2) : rng.uniform(1, most);
  g.filter[d] = rng.pick(filters);
  g.stride[d] = rng.oneIn(2) ? 1 : rng.uniform(1, limits.maxStride);
  g.dilation[d] = rng.oneIn(2) ? 1 : rng.uniform(1, limits.maxDilation);
  if (limits.inputDilations && rng.oneIn(5))
    g.inputDilation[d] = rng.uniform(2, 3);
  auto padding = [&]() -> int64_t {
    if (rng.oneIn(8))
      return -rng.uniform(1, 3);
    return rng.oneIn(8) ? rng.uniform(0, g.dilatedFilter(d) + 2)
                        : rng.uniform(0, g.filter[d] / 2 + 1);
  };
  g.padLow[d] = padding();
  g.padHigh[d] = rng.oneIn(2) ? g.padLow[d] : padding();
}

/// A layer of 1x1, whose images are rows of whole 16 bytes: with their channels
/// first they are multiplied as they are.
static void makePointwise(CounterRng &rng, ConvGeometry &g) {
  for (int d = 0; d < g.spatialRank; ++d) {
    g.filter[d] = g.stride[d] = g.dilation[d] = g.inputDilation[d] = 1;
    g.padLow[d] = g.padHigh[d] = 0;
  }
  g.input[g.spatialRank - 1] = 8 * rng.uniform(1, 10);
}

/// Halves one random extent.
static void cutDown(CounterRng &rng, ConvGeometry &g) {
  auto halve = [](int64_t &value, int64_t unit) {
    value = std::max(value / unit / 2, int64_t(1)) * unit;
  };
  switch (int64_t which = rng.uniform(0, 2 + g.spatialRank); which) {
  case 0:
    return halve(g.c, g.groups);
  case 1:
    return halve(g.k, g.groups);
  case 2:
    if (g.n > 1)
      halve(g.n, 1);
    return;
  default:
    return halve(g.input[which - 3], 1);
  }
}

/// A geometry that may still break a rule (a window that does not fit).
static ConvGeometry drawGeometry(CounterRng &rng, const FuzzLimits &limits) {
  ConvGeometry g;
  g.spatialRank = rng.pick(limits.spatialRanks);
  g.n = limits.emptyBatch && rng.oneIn(50) ? 0
        : rng.oneIn(2)                     ? 1
                                           : rng.uniform(2, 5);
  g.flip = limits.flips && rng.oneIn(6);
  drawChannels(rng, limits, g);
  for (int d = 0; d < g.spatialRank; ++d)
    drawDimension(rng, limits, d, g);
  if (rng.oneIn(8))
    makePointwise(rng, g);
  return g;
}

/// Steps of all kinds; half of the activations are the cheap ones.
static void drawEpilogue(CounterRng &rng, Problem &problem) {
  Epilogue &epilogue = problem.epilogue;
  if (problem.kind == ConvKind::Wgrad) {
    epilogue.biasGradient = rng.oneIn(4);
    return;
  }
  if (problem.kind == ConvKind::Forward) {
    epilogue.scale = rng.oneIn(5);
    epilogue.bias = rng.oneIn(3);
    epilogue.residual = rng.oneIn(4);
  }
  if (rng.oneIn(2))
    return;
  epilogue.derivative = problem.kind == ConvKind::Dgrad;
  epilogue.activation =
      rng.oneIn(2) ? Activation::Relu : rng.pick(allActivations());
  // Sums of f64 have no functions in kernels.
  if (problem.type == "f64" && epilogue.isRounded())
    epilogue.activation = Activation::Clip;
  if (epilogue.activation != Activation::Clip)
    return;
  epilogue.low = static_cast<double>(rng.uniform(-8, 2)) / 2;
  epilogue.high = epilogue.low + static_cast<double>(rng.uniform(0, 12));
}

static void drawAttributes(CounterRng &rng, const FuzzLimits &limits,
                           Problem &problem) {
  problem.kind = rng.pick(limits.kinds);
  problem.type = rng.pick(limits.types);
  std::vector<std::string> results = resultTypes(problem.type);
  problem.outType =
      limits.outTypes && rng.oneIn(4) ? rng.pick(results) : results.front();
  problem.layout = rng.pick(limits.layouts);
  problem.accumulate = limits.accumulations && rng.oneIn(5);
  if (!limits.epilogues)
    return;
  drawEpilogue(rng, problem);
}

/// A transposed convolution with an epilogue, narrow tensors of channels, and
/// inputs of two types. Drawn last, so that the rest of a problem does not
/// depend on it.
static void drawLast(CounterRng &rng, const FuzzLimits &limits,
                     Problem &problem) {
  Epilogue &epilogue = problem.epilogue;
  bool isTransposed = problem.kind == ConvKind::Dgrad && !epilogue.derivative;
  if (limits.epilogues && isTransposed && rng.oneIn(3)) {
    epilogue.scale = rng.oneIn(4);
    epilogue.bias = rng.oneIn(2);
    epilogue.residual = rng.oneIn(4);
    epilogue.activation = rng.oneIn(2) ? Activation::Relu : Activation::None;
  }
  std::vector<std::string> types = biasTypes(problem.type);
  bool mayBeNarrow = limits.biasTypes && epilogue.hasChannels();
  if (mayBeNarrow && !types.empty() && rng.oneIn(3))
    problem.biasType = rng.pick(types);
  std::vector<std::string> others = secondTypes(problem.type);
  if (limits.secondTypes && !others.empty() && rng.oneIn(2))
    problem.secondType = rng.pick(others);
}

static constexpr int kMaxCuts = 64;

Problem convmlir::randomProblem(CounterRng &rng, const FuzzLimits &limits) {
  Problem problem;
  drawAttributes(rng, limits, problem);
  ConvGeometry &g = problem.geometry;
  for (;;) {
    g = drawGeometry(rng, limits);
    // Cutting an extent may leave no room for the window, and output extents
    // that padding makes cannot be cut: then draw anew.
    auto tooLarge = [&] { return g.flops() / 2 > limits.maxMultiplyAdds; };
    for (int cuts = 0; cuts < kMaxCuts && g.check() && tooLarge(); ++cuts)
      cutDown(rng, g);
    if (!g.check() || tooLarge())
      continue;
    drawLast(rng, limits, problem);
    return problem;
  }
}
