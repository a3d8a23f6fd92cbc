//===- OperandConversion.h - between a tile and a product -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands between the tile that a kernel reads and the `vector.contract`
// that multiplies it (F4 to F6): `arith.truncf` where products are of less
// precision than the tile's elements (tf32), `arith.extf` where the operands
// are of two types (8-bit floats), which `vector.contract` does not take.
// Instructions multiply the elements of the tile.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_SUPPORT_OPERANDCONVERSION_H
#define CONV_LIB_TRANSFORMS_SUPPORT_OPERANDCONVERSION_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

bool isOperandConversion(Operation *op);

/// The conversion that makes an operand of a contraction; null if there is
/// none.
Operation *getOperandConversion(Value operand);

/// The operand in front of its conversion.
Value getUnconverted(Value operand);

/// A vector of floats with elements of another type; itself where it has that.
Value convertOperand(OpBuilder &builder, Location loc, Value vector,
                     Type element);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SUPPORT_OPERANDCONVERSION_H
