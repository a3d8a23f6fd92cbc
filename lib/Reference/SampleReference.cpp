//===- SampleReference.cpp - single elements of the definition ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a problem, its arguments in memory order, and positions of the result.
// Output: those elements, straight from the definition, with no copy of the
// arguments. Sums are long double: what is left of their rounding error does
// not show in f64.
//
//===----------------------------------------------------------------------===//

#include "CheckArguments.h"
#include "Epilogue.h"
#include "ExpectedElements.h"
#include "Loops.h"
#include "conv/Problem/RandomProblem.h"
#include "conv/Reference/Parallel.h"

#include <algorithm>
#include <cmath>

using namespace convmlir;

namespace {

/// Coordinates of an element: image or filter, spatial position, channel.
struct Coordinates {
  int64_t outer;
  Spatial position;
  int64_t channel;
};

/// Evaluates elements of one problem.
template <typename T> class Evaluator {
public:
  Evaluator(const Problem &problem, const ReferenceArguments<T> &arguments)
      : problem(problem), l(problem.geometry), index(l, problem.layout),
        first(arguments[0]), second(arguments[1]),
        epilogue(problem, l, arguments) {}

  /// With the error `relative` of the sum of magnitudes.
  Bounded operator()(int64_t position, double relative) const {
    Sum found = sum(position);
    auto magnitude = static_cast<double>(found.magnitude);
    return epilogue(
        {static_cast<double>(found.value), magnitude * relative, magnitude},
        position);
  }

private:
  struct Sum {
    long double value = 0, magnitude = 0;

    void add(T a, T b) {
      long double product = static_cast<long double>(a) * b;
      value += product;
      magnitude += std::abs(product);
    }
  };

  Sum sum(int64_t position) const {
    switch (problem.kind) {
    case ConvKind::Forward:
      return forward(locate(position, l.out, l.k));
    case ConvKind::Dgrad:
      return dgrad(locate(position, l.in, l.c));
    case ConvKind::Wgrad:
      return wgrad(locate(position, l.fi, l.cg));
    }
    return {};
  }

  /// Where an element of the result lies.
  Coordinates locate(int64_t position, const Spatial &extents,
                     int64_t channels) const {
    TensorIndex strides(problem.layout, extents, channels);
    Coordinates at{position / strides.outer, {}, 0};
    at.channel = position / strides.channel % channels;
    for (int d = 0; d < 3; ++d)
      at.position[d] = position / strides.spatial[d] % extents[d];
    return at;
  }

  /// Calls visit(t, r, s, at) for every tap through which a position of one
  /// image meets a position `at` of the other.
  template <typename Visitor>
  void forEachMeeting(int64_t (Loops::*meet)(int, int64_t, int64_t) const,
                      const Spatial &position, Visitor visit) const {
    for (int64_t t = 0; t < l.fi[0]; ++t)
      for (int64_t r = 0; r < l.fi[1]; ++r)
        for (int64_t s = 0; s < l.fi[2]; ++s) {
          Spatial at = {(l.*meet)(0, position[0], t),
                        (l.*meet)(1, position[1], r),
                        (l.*meet)(2, position[2], s)};
          if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0)
            visit(t, r, s, at);
        }
  }

  Sum forward(const Coordinates &y) const {
    Sum sum;
    int64_t group = y.channel / l.kg;
    auto add = [&](int64_t t, int64_t r, int64_t s, const Spatial &at) {
      for (int64_t c = 0; c < l.cg; ++c)
        sum.add(first[index.x(y.outer, at[0], at[1], at[2], group * l.cg + c)],
                second[index.w(y.channel, t, r, s, c)]);
    };
    forEachMeeting(&Loops::source, y.position, add);
    return sum;
  }

  Sum dgrad(const Coordinates &dx) const {
    Sum sum;
    int64_t group = dx.channel / l.cg;
    auto add = [&](int64_t t, int64_t r, int64_t s, const Spatial &at) {
      for (int64_t k = group * l.kg; k < (group + 1) * l.kg; ++k)
        sum.add(first[index.y(dx.outer, at[0], at[1], at[2], k)],
                second[index.w(k, t, r, s, dx.channel % l.cg)]);
    };
    forEachMeeting(&Loops::target, dx.position, add);
    return sum;
  }

  Sum wgrad(Coordinates dw) const {
    Sum sum;
    for (int d = 0; d < 3 && problem.geometry.flip; ++d)
      dw.position[d] = l.fi[d] - 1 - dw.position[d];
    int64_t k = dw.outer, c = k / l.kg * l.cg + dw.channel;
    for (int64_t n = 0; n < l.n; ++n)
      for (int64_t z = 0; z < l.out[0]; ++z)
        for (int64_t p = 0; p < l.out[1]; ++p) {
          int64_t d = l.source(0, z, dw.position[0]);
          int64_t h = l.source(1, p, dw.position[1]);
          if (d < 0 || h < 0)
            continue;
          for (int64_t q = 0; q < l.out[2]; ++q)
            if (int64_t w = l.source(2, q, dw.position[2]); w >= 0)
              sum.add(first[index.x(n, d, h, w, c)],
                      second[index.y(n, z, p, q, k)]);
        }
    return sum;
  }

  const Problem &problem;
  Loops l;
  TensorIndices index;
  std::span<const T> first, second;
  ReferenceEpilogue<T> epilogue;
};

} // namespace

template <typename T>
static Status check(const Problem &problem,
                    const ReferenceArguments<T> &arguments,
                    std::span<const int64_t> positions) {
  if (Status status = checkArguments(problem, arguments); !status)
    return status;
  int64_t elements = problem.result().numElements();
  for (int64_t position : positions)
    if (position < 0 || position >= elements)
      return Error{"position " + std::to_string(position) +
                   " lies outside of the result's " + std::to_string(elements) +
                   " elements"};
  return {};
}

template <typename T>
Result<Expected> convmlir::sampleExpected(
    const Problem &problem, const ReferenceArguments<T> &arguments,
    std::span<const int64_t> positions, const ReferenceOptions &options) {
  if (Status status = check(problem, arguments, positions); !status)
    return status.takeError();
  Expected expected;
  expected.values.resize(positions.size());
  expected.errors.resize(positions.size());
  expected.magnitudes.resize(positions.size());
  expected.hasExactSums = hasExactSums(problem, arguments);
  double relative =
      expected.hasExactSums
          ? 0
          : relativeErrorOfSum(problem.type,
                               problem.geometry.gemmK(problem.kind));
  Evaluator<T> evaluate(problem, arguments);
  parallelFor(static_cast<int64_t>(positions.size()), options, [&](int64_t i) {
    Bounded element = evaluate(positions[i], relative);
    expected.values[i] = element.value;
    expected.errors[i] = element.error;
    expected.magnitudes[i] = element.magnitude;
  });
  return expected;
}

template Result<Expected>
convmlir::sampleExpected(const Problem &, const ReferenceArguments<float> &,
                         std::span<const int64_t>, const ReferenceOptions &);
template Result<Expected>
convmlir::sampleExpected(const Problem &, const ReferenceArguments<double> &,
                         std::span<const int64_t>, const ReferenceOptions &);

template <typename T>
Result<std::vector<double>> convmlir::sampleReference(
    const Problem &problem, const ReferenceArguments<T> &arguments,
    std::span<const int64_t> positions, const ReferenceOptions &options) {
  Result<Expected> expected =
      sampleExpected(problem, arguments, positions, options);
  if (!expected)
    return expected.takeError();
  return std::move(expected->values);
}

template Result<std::vector<double>>
convmlir::sampleReference(const Problem &, const ReferenceArguments<float> &,
                          std::span<const int64_t>, const ReferenceOptions &);
template Result<std::vector<double>>
convmlir::sampleReference(const Problem &, const ReferenceArguments<double> &,
                          std::span<const int64_t>, const ReferenceOptions &);

std::vector<int64_t> convmlir::samplePositions(int64_t elements, int64_t count,
                                               uint64_t seed) {
  std::vector<int64_t> positions;
  if (count >= elements)
    count = elements;
  CounterRng rng(seed);
  for (int64_t i = 0; i < count; ++i) {
    // Part i is [i*size + min(i, larger), ...): the first `larger` parts have
    // one element more.
    int64_t size = elements / count, larger = elements % count;
    int64_t begin = i * size + std::min(i, larger);
    int64_t end = begin + size + (i < larger ? 1 : 0);
    positions.push_back(i == 0           ? 0
                        : i == count - 1 ? elements - 1
                                         : rng.uniform(begin, end - 1));
  }
  return positions;
}
