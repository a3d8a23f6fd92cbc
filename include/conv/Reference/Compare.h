//===- Compare.h - a result against its reference ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How far a computed result is from the reference, and how far it may be.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_REFERENCE_COMPARE_H
#define CONV_REFERENCE_COMPARE_H

#include "conv/Problem/Problem.h"

#include <cstdint>
#include <span>
#include <string>

namespace convmlir {

/// The measured difference. Where the result has a NaN or an infinity that the
/// reference has not, both errors are infinite and the worst element is the
/// first of these.
struct Comparison {
  double relativeError = 0; ///< Frobenius: |out - ref| / |ref|, of finite
                            ///< references; 0 if both are 0.
  double maxAbsError = 0;
  int64_t worstIndex = -1;  ///< Where maxAbsError is; -1 where nothing differs.
  double worstValue = 0;    ///< The result there.
  double worstExpected = 0; ///< The reference there.
  int64_t compared = 0;     ///< Elements whose reference is no NaN.
  bool passed = false;
};

/// Compares element by element. Passes where the relative error is at most
/// `tolerance`; with tolerance 0, where no element differs at all. NaN passes
/// only for NaN, and an infinity for itself. Nothing to compare (no elements,
/// none but NaN expected, or another length) never passes.
Comparison compare(std::span<const double> result,
                   std::span<const double> reference, double tolerance);

/// The largest relative error allowed on random data in [-1, 1], for a kernel
/// that multiplies `type` and gives `outType`: that of the arithmetic or of
/// rounding the result, whichever is larger. 0 for integers: exact.
double tolerance(const std::string &type, const std::string &outType);

/// The same for a problem. Long sums of f32 have larger errors. Where an
/// epilogue of floats is rounded to integers, few of them may be rounded the
/// other way.
double tolerance(const Problem &problem);

/// Compares results that functions of exact numbers were rounded to: passes
/// where every element is within a unit in the last place of `type` and
/// kFunctionError * max(1, |e|) of its reference e, which is of that type.
/// Where the functions are factors of sums, `isFactor`, the largest reference
/// stands in the place of |e|.
Comparison compareFunctions(std::span<const double> result,
                            std::span<const double> reference,
                            const std::string &type, bool isFactor = false);

/// The error of an activation in f32 on an exact number, absolute below 1 and
/// relative above.
inline constexpr double kFunctionError = 1e-6;

/// The largest n such that a type holds all integers of magnitude up to n: data
/// whose sums stay within it must match the reference exactly.
double largestExactInteger(const std::string &type);

/// "element [1, 2, 0] is 3.5, expected 4", with the worst element's coordinates
/// in a tensor of that shape.
std::string describeWorst(const Comparison &comparison,
                          const std::vector<int64_t> &shape);

} // namespace convmlir

#endif // CONV_REFERENCE_COMPARE_H
