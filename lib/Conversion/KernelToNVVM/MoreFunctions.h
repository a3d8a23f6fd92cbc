//===- MoreFunctions.h - functions that keep their digits -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of f32 whose upstream expansions lose digits.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_MOREFUNCTIONS_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_MOREFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// `math.sin` and `math.cos`, of magnitudes up to 2^50 with a relative error of
/// 2 units in the last place: upstream takes multiples of pi/2 off in f32, of
/// 1000 with an error of 4e-5, and of numbers below 0 it takes one too many.
/// `math.atan2`: upstream's is NaN at the origin and between two infinities.
void populatePeriodicFunctionPatterns(RewritePatternSet &patterns);

/// `math.sinh`, `math.asinh` and `math.atanh`: upstream subtracts numbers of
/// about one size. Near 0 nothing is left of the result, and of asinh where x
/// is far below 0. `math.acosh` is the same near 1, and upstream's is infinite
/// where x^2 is; so is its `math.cosh` a little too early.
void populateHyperbolicFunctionPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_MOREFUNCTIONS_H
