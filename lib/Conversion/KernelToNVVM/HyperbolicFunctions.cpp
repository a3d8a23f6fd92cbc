//===- HyperbolicFunctions.cpp - sinh, cosh and inverses of f32 ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the magnitude; odd functions have the sign of the operand.
//
//===----------------------------------------------------------------------===//

#include "FloatArithmetic.h"
#include "MoreFunctions.h"

#include <numbers>

using namespace mlir;
using conv::ExpandFunction;
using Arithmetic = conv::FloatArithmetic;

/// e^x / 2 as (e^(x / 2))^2 / 2, which is infinite only where sinh and cosh
/// are.
static Value halfOfExp(Arithmetic a, Value x) {
  Value half = a.constant(0.5);
  Value root = a.apply<math::ExpOp>(a.mul(half, x));
  return a.mul(a.mul(half, root), root);
}

/// Below 1 with e = expm1(x): (e + e / (e + 1)) / 2. From 1 on half of
/// e^x - e^-x.
static Value expandSinh(Arithmetic a, Value x) {
  Value one = a.constant(1);
  Value e = a.apply<math::ExpM1Op>(x);
  Value inner = a.mul(a.constant(0.5), a.add(e, a.quotient(e, a.add(e, one))));
  Value outer = a.sub(halfOfExp(a, x), halfOfExp(a, a.neg(x)));
  return a.select(a.isLess(x, one), inner, outer);
}

/// From here on x^2 + 1 and x^2 - 1 are x^2.
static constexpr int kLarge = 1 << 28;

/// log(2 x).
static Value logOfDouble(Arithmetic a, Value x) {
  return a.add(a.apply<math::LogOp>(x), a.constant(std::numbers::ln2));
}

/// log1p(x + x^2 / (1 + sqrt(x^2 + 1))), and log(2 x) before x^2 is infinite.
static Value expandAsinh(Arithmetic a, Value x) {
  Value one = a.constant(1), square = a.mul(x, x);
  Value root = a.apply<math::SqrtOp>(a.add(square, one));
  Value inner =
      a.apply<math::Log1pOp>(a.add(x, a.quotient(square, a.add(root, one))));
  return a.select(a.isLess(a.constant(kLarge), x), logOfDouble(a, x), inner);
}

/// With t = x - 1: log1p(t + sqrt(t) sqrt(t + 2)), and log(2 x). Below 1 a
/// root is NaN.
static Value expandAcosh(Arithmetic a, math::AcoshOp op) {
  Value x = op.getOperand(), t = a.sub(x, a.constant(1));
  Value root = a.mul(a.apply<math::SqrtOp>(t),
                     a.apply<math::SqrtOp>(a.add(t, a.constant(2))));
  Value inner = a.apply<math::Log1pOp>(a.add(t, root));
  return a.select(a.isLess(a.constant(kLarge), x), logOfDouble(a, x), inner);
}

/// log1p(2 x / (1 - x)) / 2.
static Value expandAtanh(Arithmetic a, Value x) {
  Value rest = a.sub(a.constant(1), x);
  return a.mul(a.constant(0.5),
               a.apply<math::Log1pOp>(a.quotient(a.add(x, x), rest)));
}

/// A function of a magnitude for an odd one.
template <typename OpTy, Value (*expand)(Arithmetic, Value)>
static Value expandOdd(Arithmetic a, OpTy op) {
  return a.copySign(expand(a, a.abs(op.getOperand())), op.getOperand());
}

static Value expandCosh(Arithmetic a, math::CoshOp op) {
  Value x = a.abs(op.getOperand());
  return a.add(halfOfExp(a, x), halfOfExp(a, a.neg(x)));
}

void conv::populateHyperbolicFunctionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandFunction<math::SinhOp>>(
      context, expandOdd<math::SinhOp, expandSinh>);
  patterns.add<ExpandFunction<math::CoshOp>>(context, expandCosh);
  patterns.add<ExpandFunction<math::AcoshOp>>(context, expandAcosh);
  patterns.add<ExpandFunction<math::AsinhOp>>(
      context, expandOdd<math::AsinhOp, expandAsinh>);
  patterns.add<ExpandFunction<math::AtanhOp>>(
      context, expandOdd<math::AtanhOp, expandAtanh>);
}
