//===- FloatFunctions.h - exp, tanh and erf of f32 --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of activations in terms of `math.exp2`, which is an
// instruction, and arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_FLOATFUNCTIONS_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_FLOATFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// `math.exp`, `math.tanh` and `math.erf` of f32, scalars and vectors. Relative
/// errors, with the device's exp2 (2 units in the last place): exp 5 units,
/// with `afn` 5 + |x| / 2; tanh 4; absolute error of erf: 1.5e-7. NaN stays
/// NaN.
void populateFloatFunctionPatterns(RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_FLOATFUNCTIONS_H
