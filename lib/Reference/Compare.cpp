//===- Compare.cpp - a result against its reference -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a result and its reference. Output: how they differ, and whether that
// is within what is promised.
//
//===----------------------------------------------------------------------===//

#include "conv/Reference/Compare.h"
#include "conv/Runtime/Tensor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

using namespace convmlir;

/// |a - b|; infinite where only one is finite or only one is NaN, 0 where both
/// are NaN or the same infinity.
static double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  double difference = std::abs(a - b);
  return std::isfinite(difference) ? difference
                                   : std::numeric_limits<double>::infinity();
}

static bool isIntegerName(const std::string &type) {
  return type == "s8" || type == "s32";
}

/// Relative error of the products and sums, before the result is rounded.
static double arithmeticTolerance(const std::string &type) {
  if (type == "f64")
    return 1e-14;
  if (type == "s8")
    return 0;
  if (type == "tf32")
    return 1e-3;
  // Tensor cores of Hopper sum a block of products with 14 significant bits.
  if (type == "e4m3" || type == "e5m2")
    return 2e-3;
  return type == "f32" ? 1e-6 : 1e-5;
}

/// Relative error that rounding to the type adds: bounded by half a unit in the
/// last place, with room for the error of the sums to move a rounding.
static double roundingTolerance(const std::string &type) {
  if (type == "f16")
    return 1e-3;
  if (type == "bf16")
    return 8e-3;
  if (type == "e4m3")
    return 6.25e-2;
  if (type == "e5m2")
    return 1.25e-1;
  return type == "f32" ? 1e-6 : 0;
}

double convmlir::tolerance(const std::string &type,
                           const std::string &outType) {
  return std::max(arithmeticTolerance(type), roundingTolerance(outType));
}

/// Sums of f32 have the precision of their terms: errors of as many roundings
/// add up like a random walk (N. Higham, T. Mary, "A new approach to
/// probabilistic rounding error analysis", SIAM J. Sci. Comput. 41, 2019). A
/// thousand terms are within the tolerance.
static double growthOfError(const Problem &problem) {
  constexpr double terms = 1000;
  if (problem.type != "f32")
    return 1;
  auto sum = static_cast<double>(problem.geometry.gemmK(problem.kind));
  return std::sqrt(std::max(sum / terms, 1.0));
}

double convmlir::biasGradientTolerance(const Problem &problem) {
  return std::max(tolerance(problem), roundingTolerance(problem.channelType()));
}

double convmlir::tolerance(const Problem &problem) {
  constexpr double ofTies = 1e-3;
  bool isRounded =
      isIntegerName(problem.outType) && problem.epilogueType() == "f32";
  if (isRounded)
    return ofTies;
  return std::max(arithmeticTolerance(problem.type) * growthOfError(problem),
                  roundingTolerance(problem.outType));
}

namespace {
/// An element, what it should be, and between which numbers it may be.
struct Element {
  double value, expected, low, high;

  Element(double value, double expected, double error, ElementType type)
      : value(value), expected(roundTo(type, expected)),
        low(roundTo(type, expected - error)),
        high(roundTo(type, expected + error)) {}

  bool passes() const {
    return distance(value, expected) == 0 || (low <= value && value <= high);
  }
  double bound() const { return std::max(expected - low, high - expected); }
};

/// The squares of errors, and of what they are relative to.
struct Norms {
  double error = 0, reference = 0;

  /// `magnitude` is that of what was added up to the element, or 0.
  void add(const Element &element, double magnitude) {
    double difference = distance(element.value, element.expected);
    // An overflow within the bound is none of the sums' error.
    if (std::isinf(difference) && element.passes())
      return;
    error += difference * difference;
    if (!std::isfinite(element.expected))
      return;
    double scale = std::abs(element.expected);
    if (std::isfinite(magnitude))
      scale = std::max(scale, magnitude);
    reference += scale * scale;
  }
  double relative() const {
    if (error == 0)
      return 0;
    bool isMeasurable =
        std::isfinite(error) && std::isfinite(reference) && reference > 0;
    return isMeasurable ? std::sqrt(error) / std::sqrt(reference)
                        : std::numeric_limits<double>::infinity();
  }
};
} // namespace

/// Results of another length than their reference have nothing that can be
/// compared.
static Comparison mismatch() {
  Comparison found;
  found.relativeError = found.maxAbsError =
      std::numeric_limits<double>::infinity();
  return found;
}

Comparison convmlir::compareExpected(std::span<const double> result,
                                     const Expected &expected, ElementType type,
                                     double tolerance) {
  if (result.size() != expected.values.size())
    return mismatch();
  Comparison found;
  found.passed = true;
  Norms norms;
  for (size_t i = 0; i < result.size(); ++i) {
    Element element(result[i], expected.values[i], expected.errors[i], type);
    norms.add(element,
              expected.magnitudes.empty() ? 0 : expected.magnitudes[i]);
    // A NaN that is expected says nothing of what was computed.
    found.compared += !std::isnan(element.expected);
    bool passes = element.passes(), isFirst = found.passed && !passes;
    double difference = distance(element.value, element.expected);
    bool isWorse =
        isFirst || (passes == found.passed && difference > found.maxAbsError);
    if (!isWorse)
      continue;
    found.passed = passes;
    found.maxAbsError = difference;
    found.worstIndex = static_cast<int64_t>(i);
    found.worstValue = element.value;
    found.worstExpected = element.expected;
    found.worstBound = passes ? 0 : element.bound();
  }
  found.relativeError = norms.relative();
  if (!expected.hasExactSums)
    found.passed &= found.relativeError <= tolerance;
  found.passed &= found.compared > 0;
  return found;
}

std::vector<double>
convmlir::boundsOfTolerance(std::span<const double> reference,
                            std::span<const double> magnitudes,
                            double tolerance) {
  // As many times the root of the mean square is more than the largest of a
  // billion errors of normal distribution.
  constexpr double deviations = 8;
  double largest = 0;
  for (double value : reference)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  std::vector<double> bounds(reference.size(),
                             deviations * tolerance * largest);
  for (size_t i = 0; i < magnitudes.size(); ++i)
    if (std::isfinite(magnitudes[i]))
      bounds[i] = std::max(bounds[i], deviations * tolerance * magnitudes[i]);
  return bounds;
}

double convmlir::largestExactInteger(const std::string &type) {
  int significantBits = type == "f64"    ? 53
                        : type == "f32"  ? 24
                        : type == "bf16" ? 8
                        : type == "e4m3" ? 4
                        : type == "e5m2" ? 3
                        : type == "s8"   ? 7
                        : type == "s32"  ? 31
                                         : 11; // f16, tf32
  double power = std::ldexp(1.0, significantBits);
  return type == "s8" || type == "s32" ? power - 1 : power;
}

std::string convmlir::describeWorst(const Comparison &comparison,
                                    const std::vector<int64_t> &shape) {
  if (comparison.worstIndex < 0)
    return "no element differs";
  int64_t rest = comparison.worstIndex;
  std::string coordinates;
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    coordinates = std::to_string(rest % *extent) +
                  (coordinates.empty() ? "" : ", ") + coordinates;
    rest /= *extent;
  }
  std::ostringstream text;
  text.precision(9);
  text << "element [" << coordinates << "] is " << comparison.worstValue
       << ", expected " << comparison.worstExpected;
  if (comparison.worstBound > 0 && std::isfinite(comparison.worstBound))
    text << ", at most " << comparison.worstBound << " from it";
  return text.str();
}
