//===- Errors.h - errors of correct kernels ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How far sums, steps and functions of a kernel may be from the definition.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_REFERENCE_ERRORS_H
#define CONV_LIB_REFERENCE_ERRORS_H

#include "conv/Problem/Problem.h"

namespace convmlir {

/// A number, how far a kernel may be from it, and the magnitude of what was
/// added up to it, to which errors are relative.
struct Bounded {
  double value = 0, error = 0, magnitude = 0;
};

/// The error of a sum of so many products of `type`, over the sum of their
/// magnitudes; 0 for integers.
double relativeErrorOfSum(const std::string &type, int64_t terms);

/// Adds the error of one rounding to `type`, f32 or f64; none of what the type
/// holds. What is not finite has no error.
void addRounding(Bounded &number, const std::string &type);

/// The error of a function in f32 whose larger term is of that magnitude; of
/// results of 16 bits or fewer, `isShort`, functions are approximate.
double errorOfFunction(double magnitude, bool isShort);

/// An integer as s32 holds it, modulo 2^32.
double wrapToS32(double value);
/// The nearest one that s32 holds.
double saturateToS32(double value);

} // namespace convmlir

#endif // CONV_LIB_REFERENCE_ERRORS_H
