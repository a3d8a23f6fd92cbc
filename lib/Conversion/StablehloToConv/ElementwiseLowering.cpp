//===- ElementwiseLowering.cpp - elementwise operations as linalg -===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: an elementwise operation of StableHLO. Output: a linalg.generic, whose
// body has one or a few operations of arith and math.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseLowering.h"
#include "ScalarConvert.h"
#include "Tensors.h"
#include "conv/Dialect/StableHLO/IR/CHLOOps.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;

static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

/// The operation on floats, or that on integers.
template <typename Float, typename Integer>
static Value emitEither(OpBuilder &builder, Location loc, ValueRange operands) {
  if (isFloat(operands[0]))
    return Float::create(builder, loc, operands[0], operands[1]);
  return Integer::create(builder, loc, operands[0], operands[1]);
}

static Value emitMax(OpBuilder &builder, Location loc, ValueRange operands) {
  return emitEither<arith::MaximumFOp, arith::MaxSIOp>(builder, loc, operands);
}

static Value emitMin(OpBuilder &builder, Location loc, ValueRange operands) {
  return emitEither<arith::MinimumFOp, arith::MinSIOp>(builder, loc, operands);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static arith::CmpFPredicate getFloatPredicate(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return arith::CmpFPredicate::OEQ;
  case ComparisonDirection::NE:
    return arith::CmpFPredicate::UNE;
  case ComparisonDirection::GE:
    return arith::CmpFPredicate::OGE;
  case ComparisonDirection::GT:
    return arith::CmpFPredicate::OGT;
  case ComparisonDirection::LE:
    return arith::CmpFPredicate::OLE;
  case ComparisonDirection::LT:
    return arith::CmpFPredicate::OLT;
  }
  llvm_unreachable("unknown direction");
}

static arith::CmpIPredicate getIntPredicate(ComparisonDirection direction,
                                            bool isSigned) {
  using P = arith::CmpIPredicate;
  switch (direction) {
  case ComparisonDirection::EQ:
    return P::eq;
  case ComparisonDirection::NE:
    return P::ne;
  case ComparisonDirection::GE:
    return isSigned ? P::sge : P::uge;
  case ComparisonDirection::GT:
    return isSigned ? P::sgt : P::ugt;
  case ComparisonDirection::LE:
    return isSigned ? P::sle : P::ule;
  case ComparisonDirection::LT:
    return isSigned ? P::slt : P::ult;
  }
  llvm_unreachable("unknown direction");
}

static Value emitCompare(OpBuilder &builder, Location loc, CompareOp op,
                         ValueRange operands) {
  ComparisonDirection direction = op.getComparisonDirection();
  if (isFloat(operands[0]))
    return arith::CmpFOp::create(builder, loc, getFloatPredicate(direction),
                                 operands[0], operands[1]);
  bool isSigned = !operands[0].getType().isInteger(1) &&
                  op.getCompareType() != ComparisonType::UNSIGNED;
  return arith::CmpIOp::create(builder, loc,
                               getIntPredicate(direction, isSigned),
                               operands[0], operands[1]);
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

static Value emitNegation(OpBuilder &builder, Location loc, Value value) {
  if (isFloat(value))
    return arith::NegFOp::create(builder, loc, value);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(value.getType()));
  return arith::SubIOp::create(builder, loc, zero, value);
}

static Value emitAbs(OpBuilder &builder, Location loc, Value value) {
  if (isFloat(value))
    return math::AbsFOp::create(builder, loc, value);
  return math::AbsIOp::create(builder, loc, value);
}

static Value emitLogistic(OpBuilder &builder, Location loc, Value value) {
  Value one = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(value.getType(), 1.0));
  Value minus = arith::NegFOp::create(builder, loc, value);
  Value power = math::ExpOp::create(builder, loc, minus);
  Value sum = arith::AddFOp::create(builder, loc, one, power);
  return arith::DivFOp::create(builder, loc, one, sum);
}

static Value emitSign(OpBuilder &builder, Location loc, Value value) {
  auto number = [&](int64_t n) -> Value {
    TypedAttr attr =
        isFloat(value) ? TypedAttr(builder.getFloatAttr(value.getType(), n))
                       : TypedAttr(builder.getIntegerAttr(value.getType(), n));
    return arith::ConstantOp::create(builder, loc, attr);
  };
  auto isLess = [&](Value a, Value b) -> Value {
    if (isFloat(value))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a,
                                   b);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
  };
  // NaN is neither, and stays.
  Value zero = number(0);
  Value sign = arith::SelectOp::create(builder, loc, isLess(value, zero),
                                       number(-1), value);
  return arith::SelectOp::create(builder, loc, isLess(zero, value), number(1),
                                 sign);
}

/// All bits the other way.
static Value emitNot(OpBuilder &builder, Location loc, Value value) {
  Value ones = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(value.getType(), -1));
  return arith::XOrIOp::create(builder, loc, value, ones);
}

using Emitter = Value (*)(OpBuilder &, Location, ValueRange);

template <typename OpTy>
static Value emit(OpBuilder &builder, Location loc, ValueRange x) {
  return OpTy::create(builder, loc, x.front().getType(), x);
}

/// What an operation becomes that has one of math or arith, by its name; null
/// for others.
static Emitter getEmitter(Operation *op) {
  static const llvm::StringMap<Emitter> table = {
      {"chlo.acos", emit<math::AcosOp>},
      {"chlo.acosh", emit<math::AcoshOp>},
      {"chlo.asin", emit<math::AsinOp>},
      {"chlo.asinh", emit<math::AsinhOp>},
      {"chlo.atan", emit<math::AtanOp>},
      {"chlo.atanh", emit<math::AtanhOp>},
      {"chlo.cosh", emit<math::CoshOp>},
      {"chlo.erf", emit<math::ErfOp>},
      {"chlo.erfc", emit<math::ErfcOp>},
      {"chlo.sinh", emit<math::SinhOp>},
      {"chlo.tan", emit<math::TanOp>},
      {"stablehlo.and", emit<arith::AndIOp>},
      {"stablehlo.atan2", emit<math::Atan2Op>},
      {"stablehlo.cbrt", emit<math::CbrtOp>},
      {"stablehlo.ceil", emit<math::CeilOp>},
      {"stablehlo.cosine", emit<math::CosOp>},
      {"stablehlo.divide", emit<arith::DivFOp>},
      {"stablehlo.exponential", emit<math::ExpOp>},
      {"stablehlo.exponential_minus_one", emit<math::ExpM1Op>},
      {"stablehlo.floor", emit<math::FloorOp>},
      {"stablehlo.log", emit<math::LogOp>},
      {"stablehlo.log_plus_one", emit<math::Log1pOp>},
      {"stablehlo.or", emit<arith::OrIOp>},
      {"stablehlo.power", emit<math::PowFOp>},
      {"stablehlo.round_nearest_afz", emit<math::RoundOp>},
      {"stablehlo.round_nearest_even", emit<math::RoundEvenOp>},
      {"stablehlo.rsqrt", emit<math::RsqrtOp>},
      {"stablehlo.sine", emit<math::SinOp>},
      {"stablehlo.sqrt", emit<math::SqrtOp>},
      {"stablehlo.tan", emit<math::TanOp>},
      {"stablehlo.tanh", emit<math::TanhOp>},
      {"stablehlo.xor", emit<arith::XOrIOp>},
  };
  return table.lookup(op->getName().getStringRef());
}

Value conv::emitScalar(OpBuilder &builder, Location loc, Operation *op,
                       ValueRange x) {
  if (Emitter emitter = getEmitter(op))
    return emitter(builder, loc, x.take_front(op->getNumOperands()));
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) {
        return emitEither<arith::AddFOp, arith::AddIOp>(builder, loc, x);
      })
      .Case([&](SubtractOp) {
        return emitEither<arith::SubFOp, arith::SubIOp>(builder, loc, x);
      })
      .Case([&](MultiplyOp) {
        return emitEither<arith::MulFOp, arith::MulIOp>(builder, loc, x);
      })
      .Case([&](MaxOp) { return emitMax(builder, loc, x); })
      .Case([&](MinOp) { return emitMin(builder, loc, x); })
      .Case([&](ClampOp) {
        return emitMin(builder, loc,
                       {emitMax(builder, loc, {x[1], x[0]}), x[2]});
      })
      .Case([&](NegOp) { return emitNegation(builder, loc, x[0]); })
      .Case([&](AbsOp) { return emitAbs(builder, loc, x[0]); })
      .Case([&](SignOp) { return emitSign(builder, loc, x[0]); })
      .Case([&](NotOp) { return emitNot(builder, loc, x[0]); })
      .Case([&](IsFiniteOp) -> Value {
        return math::IsFiniteOp::create(builder, loc, x[0]);
      })
      .Case([&](chlo::SquareOp) -> Value {
        return arith::MulFOp::create(builder, loc, x[0], x[0]);
      })
      .Case([&](LogisticOp) { return emitLogistic(builder, loc, x[0]); })
      .Case([&](SelectOp) -> Value {
        return arith::SelectOp::create(builder, loc, x[0], x[1], x[2]);
      })
      .Case([&](CompareOp compare) {
        return emitCompare(builder, loc, compare, x);
      })
      .Case([&](ConvertOp convert) {
        return emitScalarConvert(builder, loc, x[0],
                                 convert.getType().getElementType());
      })
      .Default(Value());
}

static bool isElementwise(Operation *op) {
  return getEmitter(op) ||
         isa<AddOp, SubtractOp, MultiplyOp, MaxOp, MinOp, ClampOp, NegOp, AbsOp,
             SignOp, NotOp, IsFiniteOp, chlo::SquareOp, LogisticOp, SelectOp,
             CompareOp, ConvertOp>(op);
}

Value conv::lowerElementwise(OpBuilder &builder, Operation *op) {
  if (!isElementwise(op))
    return Value();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (op->getNumOperands() == 1 && op->getOperand(0).getType() == type &&
      isa<ConvertOp>(op))
    return op->getOperand(0);
  SmallVector<AffineMap> maps;
  for (Value operand : op->getOperands()) {
    // A condition or a bound may be one element for all.
    bool isScalar = cast<RankedTensorType>(operand.getType()).getRank() == 0;
    maps.push_back(isScalar
                       ? AffineMap::get(type.getRank(), 0, builder.getContext())
                       : builder.getMultiDimIdentityMap(type.getRank()));
  }
  return emitElementwise(builder, op->getLoc(), type, op->getOperands(), maps,
                         [&](OpBuilder &inner, Location loc, ValueRange x) {
                           return emitScalar(inner, loc, op, x);
                         });
}
