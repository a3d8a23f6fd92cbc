//===- RandomProblem.h - problems for the differential tester ---*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random problems within limits, and the simpler problems to try in place of
// one that fails. Everything is a function of a seed and a counter, so a case
// is found again on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PROBLEM_RANDOMPROBLEM_H
#define CONV_PROBLEM_RANDOMPROBLEM_H

#include "conv/Problem/Problem.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace convmlir {

/// Random numbers that depend on (seed, stream, how many were drawn) alone.
/// Give every case its own stream: case 17 of a seed is then the same whichever
/// cases ran before it.
class CounterRng {
public:
  explicit CounterRng(uint64_t seed, uint64_t stream = 0)
      : seed(seed), stream(stream) {}

  /// 64 random bits.
  uint64_t next();
  /// Uniform in [low, high], both included; low <= high.
  int64_t uniform(int64_t low, int64_t high);
  /// True once in `times` draws.
  bool oneIn(int64_t times) { return uniform(1, times) == 1; }
  /// One of the values; not empty.
  template <typename T> const T &pick(const std::vector<T> &values) {
    return values[uniform(0, static_cast<int64_t>(values.size()) - 1)];
  }

private:
  uint64_t seed, stream, counter = 0;
};

/// Where random problems come from.
enum class FuzzProfile {
  Edges,  ///< randomProblem(): what is supported, edges first.
  Layers, ///< randomLayer(): what networks have.
};

/// What random problems may be. The lists are drawn from uniformly.
struct FuzzLimits {
  std::vector<ConvKind> kinds{ConvKind::Forward};
  std::vector<int> spatialRanks{2};
  std::vector<std::string> types{"f16", "bf16"};
  std::vector<TensorLayout> layouts{TensorLayout::NHWC};
  bool secondTypes = false; ///< Inputs of two types.
  bool outTypes = false;    ///< Result types other than the default.
  bool groups = false;    ///< Groups, depthwise included.
  bool epilogues = false; ///< Of all kinds.
  bool biasTypes = false; ///< Narrow scales, biases and their gradients.
  bool inputDilations = false;
  bool flips = false;         ///< Filters that are read backwards.
  bool accumulations = false; ///< Results added to an argument.
  bool emptyBatch = false;    ///< N = 0 now and then.
  int64_t maxChannels = 130;  ///< Of C and K, all groups.
  int64_t maxStride = 4;
  int64_t maxDilation = 4;
  /// Multiply-adds of a problem; larger draws are cut down to it.
  int64_t maxMultiplyAdds = int64_t(1) << 23;
};

/// A well-formed problem within the limits. Draws favour edges: channel counts
/// around multiples of 8, padding unequal, negative, and up to past the filter,
/// strides larger than the filter, common factors of stride and dilation.
Problem randomProblem(CounterRng &rng, const FuzzLimits &limits);

/// A layer as networks have it, of the distribution that the tests of cuDNN's
/// frontend draw from. Larger ones are cut down to so many multiply-adds.
Problem randomLayer(CounterRng &rng, int64_t maxMultiplyAdds);

/// Well-formed problems that are simpler than the given one in one respect
/// (smaller extents first, then plainer attributes), the boldest steps first.
/// Repeatedly taking any of them ends.
std::vector<Problem> shrink(const Problem &problem);

/// Follows shrink() greedily while `fails` holds, trying at most `maxTrials`
/// problems; returns the simplest failing one found.
Problem minimize(const Problem &problem,
                 const std::function<bool(const Problem &)> &fails,
                 int maxTrials = 200);

} // namespace convmlir

#endif // CONV_PROBLEM_RANDOMPROBLEM_H
