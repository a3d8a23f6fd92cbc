//===- EpilogueImport.cpp - the epilogue of a problem as IR ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueImport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace mlir::conv;
using convmlir::Activation;
using convmlir::Epilogue;
using convmlir::Problem;

namespace {
/// Builds scalar arithmetic of one epilogue.
class EpilogueBuilder {
public:
  EpilogueBuilder(OpBuilder &builder, Location loc, Type resultType)
      : builder(builder), loc(loc) {
    if (resultType.getIntOrFloatBitWidth() <= 16)
      fastMath = arith::FastMathFlags::afn;
  }

  Value convert(Value value, Type type);
  Value add(Value a, Value b);
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value multiply(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value activate(const Epilogue &epilogue, Value value);
  /// The product with the activation's derivative at x.
  Value differentiate(const Epilogue &epilogue, Value value, Value x);

private:
  static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }
  Value number(Type type, double value);
  Value atLeast(Value value, double low);
  Value atMost(Value value, double high);
  Value roundToInteger(Value value, IntegerType type);
  Value saturate(Value value, IntegerType type);
  Value isGreater(Value a, Value b);
  Value onlyWhere(Value condition, Value value);
  Value gelu(Value x);
  Value timesSigmoid(Value x, Value z);
  Value onePlusExpOfMinus(Value z);
  Value times(Value x, double factor) {
    return multiply(x, number(x.getType(), factor));
  }
  Value oneMinus(Value x);
  Value getDerivative(Activation activation, Value x);
  Value getGeluDerivative(Value x);

  OpBuilder &builder;
  Location loc;
  arith::FastMathFlags fastMath = arith::FastMathFlags::none;
};
} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Value EpilogueBuilder::number(Type type, double value) {
  TypedAttr attribute;
  if (isa<FloatType>(type))
    attribute = builder.getFloatAttr(type, value);
  else
    attribute = builder.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value EpilogueBuilder::atLeast(Value value, double low) {
  Value bound = number(value.getType(), low);
  if (isFloat(value))
    return arith::MaximumFOp::create(builder, loc, value, bound);
  return arith::MaxSIOp::create(builder, loc, value, bound);
}

Value EpilogueBuilder::atMost(Value value, double high) {
  Value bound = number(value.getType(), high);
  if (isFloat(value))
    return arith::MinimumFOp::create(builder, loc, value, bound);
  return arith::MinSIOp::create(builder, loc, value, bound);
}

/// To nearest even, within the type's range; NaN becomes 0.
Value EpilogueBuilder::roundToInteger(Value value, IntegerType type) {
  Type from = value.getType();
  double low = std::ldexp(-1.0, type.getWidth() - 1);
  // The largest number of the float's type that the integers have.
  unsigned bits = cast<FloatType>(from).getFPMantissaWidth();
  double high = type.getWidth() <= bits
                    ? -low - 1
                    : -low - std::ldexp(1.0, type.getWidth() - 1 - bits);
  Value isNumber = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ORD, value, value);
  value = atMost(atLeast(value, low), high);
  value =
      arith::SelectOp::create(builder, loc, isNumber, value, number(from, 0));
  value = math::RoundEvenOp::create(builder, loc, value);
  return arith::FPToSIOp::create(builder, loc, type, value);
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

Value EpilogueBuilder::add(Value a, Value b) {
  if (isFloat(a))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Value EpilogueBuilder::onePlusExpOfMinus(Value z) {
  Value minus = arith::NegFOp::create(builder, loc, z);
  Value power = math::ExpOp::create(builder, loc, minus, fastMath);
  return add(power, number(z.getType(), 1));
}

/// x / (1 + exp(-z)).
Value EpilogueBuilder::timesSigmoid(Value x, Value z) {
  return arith::DivFOp::create(builder, loc, x, onePlusExpOfMinus(z), fastMath);
}

Value EpilogueBuilder::gelu(Value x) {
  Value erf = math::ErfOp::create(builder, loc,
                                  times(x, 1 / std::numbers::sqrt2), fastMath);
  Value half = times(x, 0.5);
  return fma(half, erf, half);
}

/// (1 + tanh(u)) / 2 = 1 / (1 + exp(-v)) with v = 2u = root x (1 + cubic x^2),
/// without the cancellation.
static constexpr double kGeluCubic = 0.044715;
static double getGeluRoot() { return std::sqrt(8 / std::numbers::pi); }

Value EpilogueBuilder::activate(const Epilogue &epilogue, Value x) {
  Type type = x.getType();
  switch (epilogue.activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return atLeast(x, 0);
  case Activation::Clip:
    return atMost(atLeast(x, epilogue.low), epilogue.high);
  case Activation::Gelu:
    return gelu(x);
  case Activation::GeluTanh: {
    double root = getGeluRoot();
    Value cubic = fma(multiply(x, x), number(type, kGeluCubic * root),
                      number(type, root));
    return timesSigmoid(x, multiply(cubic, x));
  }
  case Activation::Silu:
    return timesSigmoid(x, x);
  case Activation::Sigmoid:
    return timesSigmoid(number(type, 1), x);
  case Activation::Tanh:
    return math::TanhOp::create(builder, loc, x, fastMath);
  }
  return x;
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

Value EpilogueBuilder::isGreater(Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
}

/// The value, or 0.
Value EpilogueBuilder::onlyWhere(Value condition, Value value) {
  return arith::SelectOp::create(builder, loc, condition, value,
                                 number(value.getType(), 0));
}

Value EpilogueBuilder::oneMinus(Value x) {
  return arith::SubFOp::create(builder, loc, number(x.getType(), 1), x);
}

/// Phi(x) + x phi(x), with the normal distribution and its density.
Value EpilogueBuilder::getGeluDerivative(Value x) {
  Type type = x.getType();
  Value half = number(type, 0.5);
  Value erf = math::ErfOp::create(builder, loc,
                                  times(x, 1 / std::numbers::sqrt2), fastMath);
  Value exponent = multiply(times(x, -0.5), x);
  Value density = times(math::ExpOp::create(builder, loc, exponent, fastMath),
                        1 / std::sqrt(2 * std::numbers::pi));
  return fma(x, density, fma(erf, half, half));
}

Value EpilogueBuilder::getDerivative(Activation activation, Value x) {
  Type type = x.getType();
  Value one = number(type, 1);
  switch (activation) {
  case Activation::Gelu:
    return getGeluDerivative(x);
  case Activation::GeluTanh: {
    // Of x s(v): s + x s (1 - s) v', with the sigmoid s.
    double root = getGeluRoot();
    Value square = multiply(x, x);
    Value cubic =
        fma(square, number(type, kGeluCubic * root), number(type, root));
    Value slope =
        fma(square, number(type, 3 * kGeluCubic * root), number(type, root));
    Value s = timesSigmoid(one, multiply(cubic, x));
    Value bend = multiply(multiply(s, oneMinus(s)), multiply(x, slope));
    return add(s, bend);
  }
  case Activation::Silu: {
    Value s = timesSigmoid(one, x);
    return multiply(s, fma(x, oneMinus(s), one));
  }
  case Activation::Sigmoid: {
    Value s = timesSigmoid(one, x);
    return multiply(s, oneMinus(s));
  }
  case Activation::Tanh: {
    Value t = math::TanhOp::create(builder, loc, x, fastMath);
    return oneMinus(multiply(t, t));
  }
  default:
    return one;
  }
}

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
  // Beyond, a derivative is 0 or 1; an infinity would meet a 0.
  constexpr double end = 100;
  x = atMost(atLeast(x, -end), end);
  return multiply(getDerivative(epilogue.activation, x), convert(value, type));
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
    value = epilogue.convert(value, scale.getType());
    if (steps.bias) {
      value = epilogue.fma(value, scale, operands.front());
      operands = operands.drop_front();
    } else {
      value = epilogue.multiply(value, scale);
    }
  }
  for (Value operand : operands) {
    // A sum of integers meets a residual of floats as a float.
    if (isa<FloatType>(operand.getType()) && !isa<FloatType>(value.getType()))
      value = epilogue.convert(value, operand.getType());
    value = epilogue.add(value, epilogue.convert(operand, value.getType()));
  }
  if (steps.needsFloat() && !isa<FloatType>(value.getType()))
    value = epilogue.convert(value, builder.getF32Type());
  value = act ? epilogue.differentiate(steps, value, act)
              : epilogue.activate(steps, value);
  return epilogue.convert(value, resultType);
}

Value conv::addConverted(OpBuilder &builder, Location loc, Value sum,
                         Value value) {
  EpilogueBuilder epilogue(builder, loc, sum.getType());
  return epilogue.add(sum, epilogue.convert(value, sum.getType()));
}
