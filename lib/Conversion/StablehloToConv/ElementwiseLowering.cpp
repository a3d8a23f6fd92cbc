//===- ElementwiseLowering.cpp - elementwise operations as linalg -*- C++ -*-===//
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
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

Value conv::emitScalar(OpBuilder &builder, Location loc, Operation *op,
                       ValueRange x) {
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
      .Case([&](DivideOp) -> Value {
        return arith::DivFOp::create(builder, loc, x[0], x[1]);
      })
      .Case([&](MaxOp) { return emitMax(builder, loc, x); })
      .Case([&](MinOp) { return emitMin(builder, loc, x); })
      .Case([&](ClampOp) {
        return emitMin(builder, loc, {emitMax(builder, loc, {x[1], x[0]}), x[2]});
      })
      .Case([&](NegOp) { return emitNegation(builder, loc, x[0]); })
      .Case([&](AbsOp) { return emitAbs(builder, loc, x[0]); })
      .Case([&](ExpOp) -> Value {
        return math::ExpOp::create(builder, loc, x[0]);
      })
      .Case([&](LogOp) -> Value {
        return math::LogOp::create(builder, loc, x[0]);
      })
      .Case([&](LogisticOp) { return emitLogistic(builder, loc, x[0]); })
      .Case([&](TanhOp) -> Value {
        return math::TanhOp::create(builder, loc, x[0]);
      })
      .Case([&](SqrtOp) -> Value {
        return math::SqrtOp::create(builder, loc, x[0]);
      })
      .Case([&](RsqrtOp) -> Value {
        return math::RsqrtOp::create(builder, loc, x[0]);
      })
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
  return isa<AddOp, SubtractOp, MultiplyOp, DivideOp, MaxOp, MinOp, ClampOp,
             NegOp, AbsOp, ExpOp, LogOp, LogisticOp, TanhOp, SqrtOp, RsqrtOp,
             SelectOp, CompareOp, ConvertOp>(op);
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
    maps.push_back(isScalar ? AffineMap::get(type.getRank(), 0,
                                             builder.getContext())
                            : builder.getMultiDimIdentityMap(type.getRank()));
  }
  return emitElementwise(builder, op->getLoc(), type, op->getOperands(), maps,
                         [&](OpBuilder &inner, Location loc, ValueRange x) {
                           return emitScalar(inner, loc, op, x);
                         });
}
