//===- EpilogueImport.cpp - the epilogue of a problem as IR ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueImport.h"
#include "ActivationImport.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;
using convmlir::Activation;
using convmlir::Epilogue;
using convmlir::Problem;

namespace {
/// Builds scalar arithmetic of one epilogue.
class EpilogueBuilder : public ScalarBuilder {
public:
  EpilogueBuilder(OpBuilder &builder, Location loc, Type resultType)
      : ScalarBuilder(builder, loc,
                      resultType.getIntOrFloatBitWidth() <= 16
                          ? arith::FastMathFlags::afn
                          : arith::FastMathFlags::none) {}

  Value convert(Value value, Type type);
  /// The sum of two numbers; integers saturate.
  Value addSaturating(Value a, Value b);
  /// The product with the activation's derivative at x.
  Value differentiate(const Epilogue &epilogue, Value value, Value x);

private:
  Value roundToInteger(Value value, IntegerType type);
  Value saturate(Value value, IntegerType type);
  /// The value, or 0.
  Value onlyWhere(Value condition, Value value) {
    return select(condition, value, number(value.getType(), 0));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// To nearest even, within the type's range; NaN becomes 0.
Value EpilogueBuilder::roundToInteger(Value value, IntegerType type) {
  Type from = value.getType();
  double low = std::ldexp(-1.0, type.getWidth() - 1);
  // The largest number of the float's type that the integers have.
  unsigned bits = cast<FloatType>(from).getFPMantissaWidth();
  bool hasLargest = type.getWidth() <= bits;
  double high = hasLargest ? -low - 1
                           : -low - std::ldexp(1.0, type.getWidth() - 1 - bits);
  Value isNumber = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ORD, value, value);
  Value within =
      select(isNumber, atMost(atLeast(value, low), high), number(from, 0));
  Value rounded = arith::FPToSIOp::create(
      builder, loc, type, math::RoundEvenOp::create(builder, loc, within));
  if (hasLargest)
    return rounded;
  return select(isGreater(value, number(from, high)), number(type, -low - 1),
                rounded);
}

/// To a narrower integer.
Value EpilogueBuilder::saturate(Value value, IntegerType type) {
  double end = std::ldexp(1.0, type.getWidth() - 1);
  value = atMost(atLeast(value, -end), end - 1);
  return arith::TruncIOp::create(builder, loc, type, value);
}

/// A number in another type, as the result is stored: floats round, integers
/// saturate.
Value EpilogueBuilder::convert(Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool isWider = from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth();
  auto integer = dyn_cast<IntegerType>(type);
  if (isFloat(value) && integer)
    return roundToInteger(value, integer);
  if (integer && isWider)
    return arith::ExtSIOp::create(builder, loc, type, value);
  if (integer)
    return saturate(value, integer);
  if (!isFloat(value))
    return arith::SIToFPOp::create(builder, loc, type, value);
  if (isWider)
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

/// Integers: the first is moved into the range where the sum does not leave the
/// type, whose ends depend on the second alone: on a channel, mostly.
Value EpilogueBuilder::addSaturating(Value a, Value b) {
  auto integer = dyn_cast<IntegerType>(a.getType());
  if (!integer)
    return add(a, b);
  double end = std::ldexp(1.0, integer.getWidth() - 1);
  Value low = subtract(number(integer, -end), atMost(b, 0));
  Value high = subtract(number(integer, end - 1), atLeast(b, 0));
  return add(minimum(maximum(a, low), high), b);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Value EpilogueBuilder::differentiate(const Epilogue &epilogue, Value value,
                                     Value x) {
  if (x.getType().getIntOrFloatBitWidth() < 32)
    x = convert(x, builder.getF32Type());
  Type type = x.getType();
  if (epilogue.activation == Activation::Relu)
    return onlyWhere(isGreater(x, number(type, 0)), value);
  if (epilogue.activation == Activation::Clip) {
    Value isAbove = isGreater(x, number(type, epilogue.low));
    Value isBelow = isGreater(number(type, epilogue.high), x);
    return onlyWhere(arith::AndIOp::create(builder, loc, isAbove, isBelow),
                     value);
  }
  return multiply(buildDerivative(*this, epilogue.activation, x),
                  convert(value, type));
}

Value conv::buildEpilogue(OpBuilder &builder, Location loc,
                          const Problem &problem, Value sum,
                          ValueRange operands, Type resultType) {
  EpilogueBuilder epilogue(builder, loc, resultType);
  const Epilogue &steps = problem.epilogue;
  Value value = sum, act;
  if (steps.derivative) {
    act = operands.front();
    operands = operands.drop_front();
  }
  if (steps.scale) {
    Value scale = operands.front();
    operands = operands.drop_front();
    // Sums of integers become floats; narrow scales and biases are widened.
    if (!isa<FloatType>(value.getType()))
      value = epilogue.convert(value, scale.getType());
    scale = epilogue.convert(scale, value.getType());
    if (steps.bias) {
      Value bias = epilogue.convert(operands.front(), value.getType());
      value = epilogue.fma(value, scale, bias);
      operands = operands.drop_front();
    } else {
      value = epilogue.multiply(value, scale);
    }
  }
  for (Value operand : operands) {
    // A sum of integers meets a residual of floats as a float.
    if (isa<FloatType>(operand.getType()) && !isa<FloatType>(value.getType()))
      value = epilogue.convert(value, operand.getType());
    value = epilogue.addSaturating(value,
                                   epilogue.convert(operand, value.getType()));
  }
  if (steps.needsFloat() && !isa<FloatType>(value.getType()))
    value = epilogue.convert(value, builder.getF32Type());
  value = act ? epilogue.differentiate(steps, value, act)
              : buildActivation(epilogue, steps, value);
  return epilogue.convert(value, resultType);
}

Value conv::addConverted(OpBuilder &builder, Location loc, Value sum,
                         Value value) {
  EpilogueBuilder epilogue(builder, loc, sum.getType());
  return epilogue.add(sum, epilogue.convert(value, sum.getType()));
}
