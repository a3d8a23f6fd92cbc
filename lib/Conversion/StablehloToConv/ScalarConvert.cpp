//===- ScalarConvert.cpp - an element in another type ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarConvert.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::conv;

static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

static Value emitFloatConvert(OpBuilder &builder, Location loc, Value value,
                              FloatType type) {
  if (!isFloat(value)) {
    if (value.getType().isInteger(1))
      return arith::UIToFPOp::create(builder, loc, type, value);
    return arith::SIToFPOp::create(builder, loc, type, value);
  }
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (from < type.getWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from > type.getWidth())
    return arith::TruncFOp::create(builder, loc, type, value);
  // Two types of one width (f16 and bf16): by way of a type that has both.
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, type, wide);
}

/// To a truth value: whether it is not zero.
static Value emitTruth(OpBuilder &builder, Location loc, Value value) {
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(value.getType()));
  if (isFloat(value))
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, value,
                                 zero);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                               zero);
}

Value conv::emitScalarConvert(OpBuilder &builder, Location loc, Value value,
                              Type type) {
  if (value.getType() == type)
    return value;
  if (auto to = dyn_cast<FloatType>(type))
    return emitFloatConvert(builder, loc, value, to);
  if (type.isInteger(1))
    return emitTruth(builder, loc, value);
  if (isFloat(value))
    return arith::FPToSIOp::create(builder, loc, type, value);
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, type, value);
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::TruncIOp::create(builder, loc, type, value);
}
