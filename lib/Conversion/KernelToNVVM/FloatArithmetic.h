//===- FloatArithmetic.h - formulas in terms of arith -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What expansions of functions are written with.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_FLOATARITHMETIC_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_FLOATARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::conv {

/// Arithmetic on values of one type, floats or vectors of them.
class FloatArithmetic {
public:
  FloatArithmetic(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Value constant(double value) {
    FloatAttr element = builder.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(vector, element));
    return arith::ConstantOp::create(builder, loc, element);
  }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value neg(Value a) { return arith::NegFOp::create(builder, loc, a); }
  Value abs(Value a) { return math::AbsFOp::create(builder, loc, a); }
  Value exp2(Value a) { return math::Exp2Op::create(builder, loc, a); }
  Value floor(Value a) { return math::FloorOp::create(builder, loc, a); }
  /// NaN where one of them is.
  Value min(Value a, Value b) {
    return arith::MinimumFOp::create(builder, loc, a, b);
  }
  Value max(Value a, Value b) {
    return arith::MaximumFOp::create(builder, loc, a, b);
  }
  /// Rounded as IEEE says.
  Value quotient(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  /// Two units in the last place.
  Value divide(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b, arith::FastMathFlags::afn);
  }
  Value copySign(Value magnitude, Value sign) {
    return math::CopySignOp::create(builder, loc, magnitude, sign);
  }
  /// A function of one operand.
  template <typename OpTy> Value apply(Value a) {
    return OpTy::create(builder, loc, a);
  }
  /// Arithmetic on as many values of another type.
  FloatArithmetic withElement(Type element) const {
    auto vector = dyn_cast<VectorType>(type);
    return {builder, loc, vector ? Type(vector.clone(element)) : element};
  }
  /// A value of a narrower or wider type as one of this, rounded or extended.
  Value convert(Value a) {
    bool isWider = getElementTypeOrSelf(type).getIntOrFloatBitWidth() >
                   getElementTypeOrSelf(a).getIntOrFloatBitWidth();
    if (isWider)
      return arith::ExtFOp::create(builder, loc, type, a);
    return arith::TruncFOp::create(builder, loc, type, a);
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
  }
  Value isEither(Value a, Value b) {
    return arith::OrIOp::create(builder, loc, a, b);
  }
  Value isLess(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  }
  /// From the coefficient of the highest power on.
  Value polynomial(ArrayRef<double> coefficients, Value x) {
    Value sum = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = coefficient == 0 ? mul(sum, x) : fma(sum, x, constant(coefficient));
    return sum;
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }

private:
  OpBuilder &builder;
  Location loc;
  Type type;
};

/// Replaces an operation on f32 by what `expand` builds.
template <typename OpTy> struct ExpandFunction : OpRewritePattern<OpTy> {
  using Expansion = Value (*)(FloatArithmetic, OpTy);
  ExpandFunction(MLIRContext *context, Expansion expand)
      : OpRewritePattern<OpTy>(context), expand(expand) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    FloatArithmetic arithmetic(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, expand(arithmetic, op));
    return success();
  }

  Expansion expand;
};

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_FLOATARITHMETIC_H
