//===- Magnitudes.h - how large what made up an element was -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A correct kernel differs from the definition by a share of each number's
// *magnitude*: of the number, or of what cancelled in it. Input: an operation
// on scalars, its operands and their magnitudes. Output: the magnitude of its
// result, at least its absolute value (docs/ConvRun.md, "What may differ").
//
// What comes in grows as errors do that know nothing of each other: in sums by
// the root of the sum of squares, elsewhere by the function's slope.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_INTERPRETER_MAGNITUDES_H
#define CONV_LIB_INTERPRETER_MAGNITUDES_H

#include "ScalarFunctions.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace mlir::conv {

/// What of the operands' magnitudes a result has.
enum class Growth {
  None,    ///< Nothing: integers and truth values are exact.
  First,   ///< That of the first operand: a conversion, a rounding.
  Chosen,  ///< That of the operand which the first one selects.
  Sum,     ///< The root of the sum of the squares.
  Product, ///< The larger one of each times the other operand.
  Fma,     ///< A product, and a sum with the third operand.
  Slope    ///< The largest of each times the slope along it.
};

/// Of an operation on scalars or, element by element, on tensors.
Growth getGrowth(Operation &op);

/// The magnitude of `result`, which `function` gives for the operands.
double getMagnitude(Growth growth,
                    llvm::function_ref<Scalar(const Scalar *)> function,
                    ArrayRef<Scalar> operands, ArrayRef<double> magnitudes,
                    Scalar result);

/// The root of the sum of the squares; what is no number says nothing.
double addMagnitudes(double a, double b);

/// The absolute values: the magnitudes of what is given.
std::vector<double> getMagnitudes(const std::vector<double> &values);

} // namespace mlir::conv

#endif // CONV_LIB_INTERPRETER_MAGNITUDES_H
