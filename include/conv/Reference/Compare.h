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
#include "conv/Reference/Expected.h"
#include "conv/Runtime/ElementType.h"

#include <cstdint>
#include <span>
#include <string>

namespace convmlir {

/// The measured difference. Where the result has a NaN or an infinity that the
/// reference has not, both errors are infinite and the worst element is the
/// first of these.
struct Comparison {
  double relativeError = 0; ///< Frobenius: |out - ref| over the norm of what
                            ///< was added up, or |ref| where that is not known,
                            ///< of finite references; 0 if both are 0.
  double maxAbsError = 0;
  int64_t worstIndex = -1;  ///< Where maxAbsError is; -1 where nothing differs.
  double worstValue = 0;    ///< The result there.
  double worstExpected = 0; ///< The reference there.
  double worstBound = 0;    ///< How far from it a result may be there, where
                            ///< the element does not pass; else 0.
  int64_t compared = 0;     ///< Elements whose reference is no NaN.
  bool passed = false;
};

/// The largest relative error allowed on random data in [-1, 1], for a kernel
/// that multiplies `type` and gives `outType`: that of the arithmetic or of
/// rounding the result, whichever is larger. 0 for integers: exact.
double tolerance(const std::string &type, const std::string &outType);

/// The same for a problem. Long sums of f32 have larger errors. Where an
/// epilogue of floats is rounded to integers, few of them may be rounded the
/// other way.
double tolerance(const Problem &problem);

/// The same for the gradient of the problem's bias.
double biasGradientTolerance(const Problem &problem);

/// Compares with what is expected of a result of `type`: an element passes
/// where it is what a number within its bound is rounded to, and the whole
/// where all of them do. Nothing to compare (no elements, none but NaN
/// expected, or another length) never passes. Where sums are not exact, the
/// relative error to the rounded values must be at most `tolerance` as well, of
/// elements that are finite in both. The worst element is one that does not
/// pass, if there is any.
Comparison compareExpected(std::span<const double> result,
                           const Expected &expected, ElementType type,
                           double tolerance);

/// Bounds for results of which no more is known than that relative error and
/// magnitudes: each element may be off by a share of the largest one, or of its
/// own magnitude where that is larger.
std::vector<double> boundsOfTolerance(std::span<const double> reference,
                                      std::span<const double> magnitudes,
                                      double tolerance);

/// The largest n such that a type holds all integers of magnitude up to n: data
/// whose sums stay within it must match the reference exactly.
double largestExactInteger(const std::string &type);

/// "element [1, 2, 0] is 3.5, expected 4", with the worst element's coordinates
/// in a tensor of that shape, and ", at most 0.25 from it" where it is further.
std::string describeWorst(const Comparison &comparison,
                          const std::vector<int64_t> &shape);

} // namespace convmlir

#endif // CONV_REFERENCE_COMPARE_H
