//===- Expected.h - what a correct kernel may give --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definition of a problem's result, and for each element how far a correct
// kernel may be from it. The bound follows the element through the kernel
// (docs/ConvRun.md, "What may differ"):
//
// - sums: their roundings, times the sum of the magnitudes of the products;
//   nothing where all partial sums are exact; integers wrap;
// - each step of the epilogue: what came in, times the step's slope, and one
//   rounding, where there is one;
// - an activation: how far it varies within the bound of its input, and the
//   error of the function itself.
//
// The result's own rounding is not in the bound: an element is right where it
// is what some number within the bound is rounded to.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_REFERENCE_EXPECTED_H
#define CONV_REFERENCE_EXPECTED_H

#include "conv/Reference/Reference.h"

namespace convmlir {

/// Elements of one result.
struct Expected {
  std::vector<double> values; ///< Of the definition, not rounded.
  std::vector<double> errors; ///< How far from these before the last rounding.
  /// Of the products and addends that were added up to each, in the measure of
  /// the result; none where that is not known. What cancels in a value does not
  /// cancel in its error.
  std::vector<double> magnitudes;
  bool hasExactSums = false;
};

/// Whether every partial sum of the two factors is a number that the
/// accumulation type holds, so that the order of additions does not matter.
/// Sums of integers always are: they wrap.
template <typename T>
bool hasExactSums(const Problem &problem,
                  const ReferenceArguments<T> &arguments);

/// The elements of the result at these positions of its memory order; all where
/// there are none. Errors are those of computeReference().
template <typename T>
Result<Expected> computeExpected(const Problem &problem,
                                 const ReferenceArguments<T> &arguments,
                                 std::span<const int64_t> positions = {},
                                 const ReferenceOptions &options = {});

/// The gradient of a bias, from dy.
template <typename T>
Expected computeExpectedBiasGradient(const Problem &problem,
                                     std::span<const T> dy);

} // namespace convmlir

#endif // CONV_REFERENCE_EXPECTED_H
