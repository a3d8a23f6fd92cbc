//===- Passes.h - explicit im2col -------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVERSION_CONVTOIM2COL_PASSES_H
#define CONV_CONVERSION_CONVTOIM2COL_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
namespace func {
class FuncOp;
}
namespace conv {

#define GEN_PASS_DECL
#include "conv/Conversion/ConvToIm2col/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conv/Conversion/ConvToIm2col/Passes.h.inc"

/// Registers the pipeline `convert-conv-to-im2col`: `convert-conv-to-gemm`,
/// then `conv-materialize-matrices`.
void registerConvToIm2colPipeline();

} // namespace conv
} // namespace mlir

#endif // CONV_CONVERSION_CONVTOIM2COL_PASSES_H
