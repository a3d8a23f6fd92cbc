//===- DotLowering.h - products of matrices -*- C++ -* --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_DOTLOWERING_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_DOTLOWERING_H

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"
#include "conv/Support/Result.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// A convolution whose filter has one tap, which runs on tensor cores; a
/// linalg.generic where there is a batch, and of integers that convolutions do
/// not have.
convmlir::Result<Value> lowerDot(OpBuilder &builder,
                                 stablehlo::DotGeneralOp op);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_DOTLOWERING_H
