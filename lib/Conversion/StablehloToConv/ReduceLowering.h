//===- ReduceLowering.h - reductions as linalg ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_REDUCELOWERING_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_REDUCELOWERING_H

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"
#include "conv/Support/Result.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// A linalg.generic. A conversion in front of it is done in its body; sums of
/// floats narrower than 32 bits are of f32, and rounded once.
convmlir::Result<Value> lowerReduce(OpBuilder &builder, stablehlo::ReduceOp op);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_REDUCELOWERING_H
