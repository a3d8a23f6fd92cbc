//===- Verify.h - what operations check -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_STABLEHLO_IR_VERIFY_H
#define CONV_LIB_DIALECT_STABLEHLO_IR_VERIFY_H

#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

namespace mlir::conv::stablehlo {

/// Arithmetic is on numbers, not on truth values.
LogicalResult verifyArithmetic(Operation *op);

} // namespace mlir::conv::stablehlo

#endif // CONV_LIB_DIALECT_STABLEHLO_IR_VERIFY_H
