//===- ScalarBuilder.cpp - arithmetic of one element ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::conv;

Value ScalarBuilder::number(Type type, double value) {
  TypedAttr attribute;
  if (isa<FloatType>(type))
    attribute = builder.getFloatAttr(type, value);
  else
    attribute = builder.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value ScalarBuilder::add(Value a, Value b) {
  if (isFloat(a))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::subtract(Value a, Value b) {
  if (isFloat(a))
    return arith::SubFOp::create(builder, loc, a, b);
  return arith::SubIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::multiply(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}

Value ScalarBuilder::divide(Value a, Value b) {
  return arith::DivFOp::create(builder, loc, a, b, fastMath);
}

Value ScalarBuilder::fma(Value a, Value b, Value c) {
  return math::FmaOp::create(builder, loc, a, b, c);
}

Value ScalarBuilder::negate(Value x) {
  return arith::NegFOp::create(builder, loc, x);
}

Value ScalarBuilder::absolute(Value x) {
  return math::AbsFOp::create(builder, loc, x);
}

Value ScalarBuilder::floor(Value x) {
  return math::FloorOp::create(builder, loc, x);
}

Value ScalarBuilder::exp(Value x) {
  return math::ExpOp::create(builder, loc, x, fastMath);
}

Value ScalarBuilder::exp2(Value x) {
  return math::Exp2Op::create(builder, loc, x);
}

Value ScalarBuilder::tanh(Value x) {
  return math::TanhOp::create(builder, loc, x, fastMath);
}

Value ScalarBuilder::maximum(Value a, Value b) {
  if (isFloat(a))
    return arith::MaximumFOp::create(builder, loc, a, b);
  return arith::MaxSIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::minimum(Value a, Value b) {
  if (isFloat(a))
    return arith::MinimumFOp::create(builder, loc, a, b);
  return arith::MinSIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::isGreater(Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
}

Value ScalarBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
