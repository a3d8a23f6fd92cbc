//===- Expected.cpp - what a correct kernel may give ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Reference/Expected.h"
#include "Errors.h"
#include "ExpectedElements.h"
#include "conv/Reference/Compare.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace convmlir;

/// The largest magnitude, or nothing where an element is no whole number.
template <typename T>
static std::optional<double> largestInteger(std::span<const T> numbers) {
  double largest = 0;
  for (T number : numbers) {
    if (number != std::trunc(number))
      return std::nullopt;
    largest = std::max(largest, std::abs(static_cast<double>(number)));
  }
  return largest;
}

template <typename T>
bool convmlir::hasExactSums(const Problem &problem,
                            const ReferenceArguments<T> &arguments) {
  if (problem.type == "s8")
    return true;
  std::optional<double> first = largestInteger(arguments[0]);
  std::optional<double> second = largestInteger(arguments[1]);
  if (!first || !second)
    return false;
  auto terms = static_cast<double>(problem.geometry.gemmK(problem.kind));
  double product = *first * *second;
  // Tensor cores of Hopper sum the products of a block of gemm-k, at most 256,
  // with 14 significant bits.
  constexpr double termsOfBlock = 256, largestOfBlock = 1 << 14;
  if ((problem.type == "e4m3" || problem.type == "e5m2") &&
      product * std::min(terms, termsOfBlock) > largestOfBlock)
    return false;
  return product * terms <= largestExactInteger(accumulationType(problem.type));
}

template bool convmlir::hasExactSums(const Problem &,
                                     const ReferenceArguments<float> &);
template bool convmlir::hasExactSums(const Problem &,
                                     const ReferenceArguments<double> &);

template <typename T>
Result<Expected> convmlir::computeExpected(
    const Problem &problem, const ReferenceArguments<T> &arguments,
    std::span<const int64_t> positions, const ReferenceOptions &options) {
  return positions.empty()
             ? computeAllExpected(problem, arguments, options)
             : sampleExpected(problem, arguments, positions, options);
}

template Result<Expected>
convmlir::computeExpected(const Problem &, const ReferenceArguments<float> &,
                          std::span<const int64_t>, const ReferenceOptions &);
template Result<Expected>
convmlir::computeExpected(const Problem &, const ReferenceArguments<double> &,
                          std::span<const int64_t>, const ReferenceOptions &);

template <typename T>
Expected convmlir::computeExpectedBiasGradient(const Problem &problem,
                                               std::span<const T> dy) {
  Expected expected{computeBiasGradient(problem, dy), {}, {}, true};
  expected.errors.assign(expected.values.size(), 0);
  std::string type = accumulationType(problem.type);
  int64_t terms = static_cast<int64_t>(dy.size()) / problem.geometry.k;
  std::optional<double> largest = largestInteger(dy);
  if (type == "s32" || (largest && *largest * static_cast<double>(terms) <=
                                       largestExactInteger(type)))
    return expected;
  std::vector<T> magnitudes(dy.size());
  std::ranges::transform(dy, magnitudes.begin(),
                         [](T number) { return std::abs(number); });
  expected.hasExactSums = false;
  expected.magnitudes =
      computeBiasGradient(problem, std::span<const T>(magnitudes));
  for (size_t i = 0; i < expected.errors.size(); ++i)
    // The sums are not made by instructions that multiply 8-bit floats.
    expected.errors[i] =
        std::isfinite(expected.values[i])
            ? expected.magnitudes[i] * relativeErrorOfSum(type, terms)
            : 0;
  return expected;
}

template Expected convmlir::computeExpectedBiasGradient(const Problem &,
                                                        std::span<const float>);
template Expected
convmlir::computeExpectedBiasGradient(const Problem &, std::span<const double>);
