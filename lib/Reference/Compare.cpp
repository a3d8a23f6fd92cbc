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

/// Results of another length than their reference have nothing that can be
/// compared.
static Comparison mismatch() {
  Comparison found;
  found.relativeError = found.maxAbsError =
      std::numeric_limits<double>::infinity();
  return found;
}

Comparison convmlir::compare(std::span<const double> result,
                             std::span<const double> reference,
                             double tolerance) {
  Comparison found;
  if (result.size() != reference.size())
    return mismatch();
  double error = 0, norm = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    double difference = distance(result[i], reference[i]);
    // A NaN that is expected says nothing of what was computed.
    found.compared += !std::isnan(reference[i]);
    error += difference * difference;
    // What is not finite cannot vouch for anything but itself.
    if (std::isfinite(reference[i]))
      norm += reference[i] * reference[i];
    if (difference <= found.maxAbsError)
      continue;
    found.maxAbsError = difference;
    found.worstIndex = static_cast<int64_t>(i);
    found.worstValue = result[i];
    found.worstExpected = reference[i];
  }
  if (error > 0) {
    bool measurable = std::isfinite(error) && std::isfinite(norm) && norm > 0;
    found.relativeError = measurable ? std::sqrt(error) / std::sqrt(norm)
                                     : std::numeric_limits<double>::infinity();
  }
  bool isClose = tolerance == 0 ? found.worstIndex == -1
                                : std::isfinite(found.relativeError) &&
                                      found.relativeError <= tolerance;
  found.passed = isClose && found.compared > 0;
  return found;
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

double convmlir::tolerance(const Problem &problem) {
  constexpr double ofTies = 1e-3;
  bool isRounded =
      isIntegerName(problem.outType) && problem.epilogueType() == "f32";
  if (isRounded)
    return ofTies;
  return std::max(arithmeticTolerance(problem.type) * growthOfError(problem),
                  roundingTolerance(problem.outType));
}

/// The distance of a number to the next one, over the number, at most.
static double relativeUnit(const std::string &type) {
  return isIntegerName(type) ? 0 : 2 / largestExactInteger(type);
}

Comparison convmlir::compareFunctions(std::span<const double> result,
                                      std::span<const double> reference,
                                      const std::string &type, bool isFactor) {
  Comparison found = compare(result, reference, /*tolerance=*/0);
  found.passed = found.compared > 0;
  double largest = 1;
  for (size_t i = 0; i < reference.size() && isFactor; ++i)
    if (std::isfinite(reference[i]))
      largest = std::max(largest, std::abs(reference[i]));
  for (size_t i = 0; i < result.size() && found.passed; ++i) {
    double size = std::abs(reference[i]);
    double bound =
        kFunctionError * std::max(largest, size) + relativeUnit(type) * size;
    double difference = distance(result[i], reference[i]);
    if (difference == 0 || (std::isfinite(difference) && difference <= bound))
      continue;
    found.passed = false;
    found.worstIndex = static_cast<int64_t>(i);
    found.worstValue = result[i];
    found.worstExpected = reference[i];
  }
  return found;
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
  return text.str();
}
