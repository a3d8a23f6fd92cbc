//===- ConvolutionLowering.h - convolutions as conv operations -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_CONVOLUTIONLOWERING_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_CONVOLUTIONLOWERING_H

#include "conv/Support/Result.h"

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

namespace mlir::conv {

/// What a convolution becomes. The error says why it is none of ours.
convmlir::Result<Value> lowerConvolution(OpBuilder &builder,
                                         stablehlo::ConvolutionOp op);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_CONVOLUTIONLOWERING_H
