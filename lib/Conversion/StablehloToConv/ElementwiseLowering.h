//===- ElementwiseLowering.h - elementwise operations as linalg -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_STABLEHLOTOCONV_ELEMENTWISELOWERING_H
#define CONV_LIB_CONVERSION_STABLEHLOTOCONV_ELEMENTWISELOWERING_H

#include "conv/Support/Result.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// What an elementwise operation of StableHLO becomes; null where `op` is none.
Value lowerElementwise(OpBuilder &builder, Operation *op);

/// The scalar that such an operation makes of scalars.
Value emitScalar(OpBuilder &builder, Location loc, Operation *op,
                 ValueRange operands);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_STABLEHLOTOCONV_ELEMENTWISELOWERING_H
