//===- SumOfParts.h - the sum over a first dimension ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_SUMOFPARTS_H
#define CONV_DIALECT_CONV_IR_SUMOFPARTS_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// The sum over the first dimension of a tensor [part, ...] of numbers, from
/// zero: a linalg.generic whose parts are its innermost loop. One part is its
/// own sum.
Value emitSumOfParts(OpBuilder &builder, Location loc, Value parts);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_SUMOFPARTS_H
