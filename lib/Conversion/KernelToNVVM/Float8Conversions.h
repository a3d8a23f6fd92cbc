//===- Float8Conversions.h - to and from 8-bit floats -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_FLOAT8CONVERSIONS_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_FLOAT8CONVERSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace mlir::conv {

/// Adds the expansion of `arith.truncf` to, and `arith.extf` from, e4m3 and
/// e5m2 into the instructions that convert two numbers. What is too large
/// becomes the largest finite number.
void populateFloat8ConversionPatterns(RewritePatternSet &patterns);

/// Adds the conversion of `nvgpu.ldmatrix` of 8-bit floats, which upstream's
/// leaves as vectors of floats.
void populateFloat8LdMatrixPattern(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_FLOAT8CONVERSIONS_H
