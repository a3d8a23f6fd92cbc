//===- ScalarFunctions.h - arith and math in f64 ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the operations on scalars mean that an elementwise operation may have.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_INTERPRETER_SCALARFUNCTIONS_H
#define CONV_LIB_INTERPRETER_SCALARFUNCTIONS_H

#include "mlir/IR/Operation.h"

#include <limits>

namespace mlir::conv {

/// A number that holds every float of f64 and every integer of 64 bits.
using Scalar = long double;
static_assert(std::numeric_limits<Scalar>::digits >= 64);

/// Operands to result. Integers are signed; truth is 1, and false is 0; an
/// undefined integer is NaN.
using ScalarFunction = Scalar (*)(const Scalar *operands);

/// The function that an operation computes, before its result is rounded to its
/// type; null where it is none of the known ones. No operation has more than
/// three operands.
ScalarFunction getScalarFunction(Operation &op);

/// A function of the standard library with one operand.
template <double (*function)(double)> Scalar apply(const Scalar *x) {
  return function(static_cast<double>(x[0]));
}

/// A constant as such a number.
Scalar toNumber(const APInt &value);

/// An integer as a signed type of `bits` bits holds it, modulo 2^bits.
Scalar wrapTo(unsigned bits, Scalar value);

} // namespace mlir::conv

#endif // CONV_LIB_INTERPRETER_SCALARFUNCTIONS_H
