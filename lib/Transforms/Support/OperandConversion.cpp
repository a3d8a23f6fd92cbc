//===- OperandConversion.cpp - between a tile and a product ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandConversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

bool conv::isOperandConversion(Operation *op) {
  return isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(op);
}

Operation *conv::getOperandConversion(Value operand) {
  Operation *op = operand.getDefiningOp();
  return isOperandConversion(op) ? op : nullptr;
}

Value conv::getUnconverted(Value operand) {
  Operation *conversion = getOperandConversion(operand);
  return conversion ? conversion->getOperand(0) : operand;
}

Value conv::convertOperand(OpBuilder &builder, Location loc, Value vector,
                           Type element) {
  auto from = cast<VectorType>(vector.getType());
  VectorType to = from.clone(element);
  if (from == to)
    return vector;
  if (to.getElementTypeBitWidth() > from.getElementTypeBitWidth())
    return arith::ExtFOp::create(builder, loc, to, vector);
  return arith::TruncFOp::create(builder, loc, to, vector);
}
