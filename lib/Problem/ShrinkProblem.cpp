//===- ShrinkProblem.cpp - simpler problems in place of one that fails ----===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a problem. Output: well-formed problems that are simpler in one
// respect. Each respect has a simplest value and candidates only move towards
// it, so following candidates ends.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/RandomProblem.h"

#include <algorithm>

using namespace convmlir;

namespace {

/// Collects the candidates of one problem.
class Shrinker {
public:
  explicit Shrinker(const Problem &problem)
      : original(problem),
        most(std::max(problem.geometry.flops(), int64_t(1) << 22)) {}

  std::vector<Problem> run() {
    shrinkExtents();
    shrinkChannels();
    shrinkWindow();
    shrinkAttributes();
    dropDimension();
    return std::move(candidates);
  }

private:
  /// Adds a changed problem, unless it is ill-formed, the same, or, by a
  /// plainer attribute, so much larger that trying it would take long.
  void add(const Problem &candidate) {
    if (candidate != original && candidate.check() &&
        candidate.geometry.flops() <= most)
      candidates.push_back(candidate);
  }

  /// Tries `simplest`, half way to it, and one step towards it.
  template <typename Set>
  void towards(int64_t value, int64_t simplest, Set set) {
    if (value == simplest)
      return;
    int64_t step = value > simplest ? -1 : 1;
    std::vector<int64_t> tried{value};
    for (int64_t next :
         {simplest, value + (simplest - value) / 2, value + step}) {
      if (std::find(tried.begin(), tried.end(), next) != tried.end())
        continue;
      tried.push_back(next);
      Problem candidate = original;
      set(candidate, next);
      add(candidate);
    }
  }

  /// The same for every spatial dimension of an array of the geometry.
  void towardsPerDim(Spatial ConvGeometry::*field, int64_t simplest) {
    for (int d = 0; d < original.geometry.spatialRank; ++d)
      towards((original.geometry.*field)[d], simplest,
              [&](Problem &p, int64_t next) { (p.geometry.*field)[d] = next; });
  }

  void shrinkExtents() {
    // An empty batch is not simpler: it computes nothing that could fail.
    if (original.geometry.n > 1)
      towards(original.geometry.n, 1,
              [](Problem &p, int64_t next) { p.geometry.n = next; });
    towardsPerDim(&ConvGeometry::input, 1);
    towardsPerDim(&ConvGeometry::filter, 1);
  }

  void shrinkChannels() {
    const ConvGeometry &g = original.geometry;
    towards(g.groups, 1, [&](Problem &p, int64_t next) {
      p.geometry.groups = next;
      p.geometry.c = g.c / g.groups * next;
      p.geometry.k = g.k / g.groups * next;
    });
    towards(g.c / g.groups, 1,
            [&](Problem &p, int64_t next) { p.geometry.c = next * g.groups; });
    towards(g.k / g.groups, 1,
            [&](Problem &p, int64_t next) { p.geometry.k = next * g.groups; });
  }

  void shrinkWindow() {
    towardsPerDim(&ConvGeometry::inputDilation, 1);
    towardsPerDim(&ConvGeometry::stride, 1);
    towardsPerDim(&ConvGeometry::dilation, 1);
    towardsPerDim(&ConvGeometry::padLow, 0);
    towardsPerDim(&ConvGeometry::padHigh, 0);
  }

  void shrinkAttributes() {
    for (bool Epilogue::*part :
         {&Epilogue::scale, &Epilogue::bias, &Epilogue::residual,
          &Epilogue::biasGradient}) {
      Problem candidate = original;
      candidate.epilogue.*part = false;
      add(candidate);
    }
    Problem candidate = original;
    candidate.epilogue.activation = Activation::None;
    candidate.epilogue.low = candidate.epilogue.high = 0;
    candidate.epilogue.derivative = false;
    add(candidate);
    candidate = original;
    candidate.secondType.clear();
    add(candidate);
    candidate = original;
    candidate.outType = resultTypes(original.type).front();
    add(candidate);
    candidate = original;
    candidate.biasType.clear();
    add(candidate);
    candidate = original;
    candidate.layout = TensorLayout::NHWC;
    add(candidate);
    candidate = original;
    candidate.accumulate = false;
    add(candidate);
    candidate = original;
    candidate.geometry.flip = false;
    add(candidate);
  }

  /// Removes an outermost spatial dimension in which nothing happens.
  void dropDimension() {
    const ConvGeometry &g = original.geometry;
    if (g.spatialRank == 1 || g.input[0] != 1 || g.filter[0] != 1 ||
        g.output(0) != 1 || g.padLow[0] != 0)
      return;
    Problem candidate = original;
    ConvGeometry &lower = candidate.geometry;
    --lower.spatialRank;
    for (Spatial ConvGeometry::*field :
         {&ConvGeometry::input, &ConvGeometry::filter, &ConvGeometry::stride,
          &ConvGeometry::padLow, &ConvGeometry::padHigh,
          &ConvGeometry::dilation, &ConvGeometry::inputDilation})
      dropOutermost(lower.*field, (ConvGeometry().*field)[0]);
    add(candidate);
  }

  static void dropOutermost(Spatial &values, int64_t fill) {
    std::rotate(values.begin(), values.begin() + 1, values.end());
    values.back() = fill;
  }

  const Problem &original;
  int64_t most;
  std::vector<Problem> candidates;
};

} // namespace

std::vector<Problem> convmlir::shrink(const Problem &problem) {
  return Shrinker(problem).run();
}

Problem convmlir::minimize(const Problem &problem,
                           const std::function<bool(const Problem &)> &fails,
                           int maxTrials) {
  Problem best = problem;
  for (bool improved = true; improved && maxTrials > 0;) {
    improved = false;
    for (const Problem &candidate : shrink(best)) {
      if (maxTrials-- <= 0)
        return best;
      if (!fails(candidate))
        continue;
      best = candidate;
      improved = true;
      break;
    }
  }
  return best;
}
