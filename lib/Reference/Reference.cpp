//===- Reference.cpp - the definition of convolution in f64 ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a problem and its arguments in memory order. Output: the whole result
// in memory order: arguments are packed as FullReference.h wants them, the
// result is unpacked, and the epilogue applied. Its bounds take a second pass,
// over magnitudes, where sums are not exact.
//
//===----------------------------------------------------------------------===//

#include "conv/Reference/Reference.h"
#include "CheckArguments.h"
#include "Epilogue.h"
#include "ExpectedElements.h"
#include "FullReference.h"

#include <algorithm>
#include <cmath>

using namespace convmlir;

/// Calls visit(o, a, b, c, ch) for every index of [outer, extents, channels] in
/// that order.
template <typename Visitor>
static void forEachIndex(int64_t outer, const Spatial &extents,
                         int64_t channels, Visitor visit) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t a = 0; a < extents[0]; ++a)
      for (int64_t b = 0; b < extents[1]; ++b)
        for (int64_t c = 0; c < extents[2]; ++c)
          for (int64_t ch = 0; ch < channels; ++ch)
            visit(o, a, b, c, ch);
}

/// x, y or their gradients: [outer, positions, channels].
template <typename T>
static Packed packActivation(std::span<const T> tensor, int64_t outer,
                             const Spatial &extents, int64_t channels,
                             const TensorIndex &index) {
  Packed packed;
  packed.reserve(tensor.size());
  forEachIndex(outer, extents, channels, [&](auto... i) {
    packed.push_back(static_cast<double>(tensor[index(i...)]));
  });
  return packed;
}

/// w as [taps, K, C/G], or as [taps, C/G, K] where `outputsLast`.
template <typename T>
static Packed packFilter(std::span<const T> tensor, const Loops &l,
                         const TensorIndex &index, bool outputsLast) {
  Packed packed(tensor.size());
  forEachIndex(l.k, l.fi, l.cg,
               [&](int64_t k, int64_t t, int64_t r, int64_t s, int64_t c) {
                 int64_t tap = (t * l.fi[1] + r) * l.fi[2] + s;
                 int64_t to = outputsLast ? (tap * l.cg + c) * l.k + k
                                          : (tap * l.k + k) * l.cg + c;
                 packed[to] = static_cast<double>(tensor[index(k, t, r, s, c)]);
               });
  return packed;
}

static std::vector<double> unpackActivation(const Packed &packed, int64_t outer,
                                            const Spatial &extents,
                                            int64_t channels,
                                            const TensorIndex &index) {
  std::vector<double> tensor(packed.size());
  const double *from = packed.data();
  forEachIndex(outer, extents, channels,
               [&](auto... i) { tensor[index(i...)] = *from++; });
  return tensor;
}

/// From [taps, C/G, K].
static std::vector<double> unpackFilter(const Packed &packed, const Loops &l,
                                        const TensorIndex &index) {
  std::vector<double> tensor(packed.size());
  forEachIndex(l.k, l.fi, l.cg,
               [&](int64_t k, int64_t t, int64_t r, int64_t s, int64_t c) {
                 int64_t tap = (t * l.fi[1] + r) * l.fi[2] + s;
                 tensor[index(k, t, r, s, c)] =
                     packed[(tap * l.cg + c) * l.k + k];
               });
  return tensor;
}

/// The sums of all elements, of the two factors.
template <typename T>
static std::vector<double>
computeSums(const Problem &problem, std::span<const T> first,
            std::span<const T> second, const ReferenceOptions &options) {
  Loops l(problem.geometry);
  TensorIndices index(l, problem.layout);
  switch (problem.kind) {
  case ConvKind::Forward:
    return unpackActivation(
        fullForward(l, packActivation(first, l.n, l.in, l.c, index.x),
                    packFilter(second, l, index.w, /*outputsLast=*/true),
                    options),
        l.n, l.out, l.k, index.y);
  case ConvKind::Dgrad:
    return unpackActivation(
        fullDgrad(l, packActivation(first, l.n, l.out, l.k, index.y),
                  packFilter(second, l, index.w, /*outputsLast=*/false),
                  options),
        l.n, l.in, l.c, index.x);
  case ConvKind::Wgrad:
    return unpackFilter(
        fullWgrad(l, packActivation(first, l.n, l.in, l.c, index.x),
                  packActivation(second, l.n, l.out, l.k, index.y), options),
        l, index.w);
  }
  return {};
}

template <typename T>
Result<std::vector<double>>
convmlir::computeReference(const Problem &problem,
                           const ReferenceArguments<T> &arguments,
                           const ReferenceOptions &options) {
  if (Status status = checkArguments(problem, arguments); !status)
    return status.takeError();
  std::vector<double> result =
      computeSums(problem, arguments[0], arguments[1], options);
  ReferenceEpilogue<T> epilogue(problem, Loops(problem.geometry), arguments);
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = epilogue({result[i], 0}, i).value;
  return result;
}

template Result<std::vector<double>>
convmlir::computeReference(const Problem &, const ReferenceArguments<float> &,
                           const ReferenceOptions &);
template Result<std::vector<double>>
convmlir::computeReference(const Problem &, const ReferenceArguments<double> &,
                           const ReferenceOptions &);

template <typename T>
static std::vector<T> magnitudesOf(std::span<const T> numbers) {
  std::vector<T> magnitudes(numbers.size());
  std::ranges::transform(numbers, magnitudes.begin(),
                         [](T number) { return std::abs(number); });
  return magnitudes;
}

template <typename T>
Result<Expected>
convmlir::computeAllExpected(const Problem &problem,
                             const ReferenceArguments<T> &arguments,
                             const ReferenceOptions &options) {
  if (Status status = checkArguments(problem, arguments); !status)
    return status.takeError();
  Expected expected;
  expected.hasExactSums = hasExactSums(problem, arguments);
  expected.values = computeSums(problem, arguments[0], arguments[1], options);
  expected.errors.assign(expected.values.size(), 0);
  // Of exact sums no relative error is asked.
  if (expected.hasExactSums)
    expected.magnitudes.assign(expected.values.size(), 0);
  double relative = 0;
  if (!expected.hasExactSums) {
    std::vector<T> first = magnitudesOf(arguments[0]);
    std::vector<T> second = magnitudesOf(arguments[1]);
    expected.magnitudes = computeSums<T>(problem, std::span<const T>(first),
                                         std::span<const T>(second), options);
    relative =
        relativeErrorOfSum(problem.type, problem.geometry.gemmK(problem.kind));
  }
  ReferenceEpilogue<T> epilogue(problem, Loops(problem.geometry), arguments);
  for (size_t i = 0; i < expected.values.size(); ++i) {
    double magnitude = expected.magnitudes[i];
    Bounded element =
        epilogue({expected.values[i], relative * magnitude, magnitude}, i);
    expected.values[i] = element.value;
    expected.errors[i] = element.error;
    expected.magnitudes[i] = element.magnitude;
  }
  return expected;
}

template Result<Expected>
convmlir::computeAllExpected(const Problem &, const ReferenceArguments<float> &,
                             const ReferenceOptions &);
template Result<Expected>
convmlir::computeAllExpected(const Problem &,
                             const ReferenceArguments<double> &,
                             const ReferenceOptions &);

template <typename T>
std::vector<double> convmlir::computeBiasGradient(const Problem &problem,
                                                  std::span<const T> dy) {
  Loops loops(problem.geometry);
  int64_t stride = TensorIndices(loops, problem.layout).y.channel;
  std::vector<double> sums(static_cast<size_t>(loops.k));
  for (size_t i = 0; i < dy.size(); ++i)
    sums[static_cast<int64_t>(i) / stride % loops.k] +=
        static_cast<double>(dy[i]);
  if (accumulationType(problem.type) == "s32")
    std::ranges::transform(sums, sums.begin(), wrapToS32);
  return sums;
}

template std::vector<double>
convmlir::computeBiasGradient(const Problem &, std::span<const float>);
template std::vector<double>
convmlir::computeBiasGradient(const Problem &, std::span<const double>);
