//===- PeriodicFunctions.cpp - sin, cos and atan2 of f32 ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = k pi/2 + r with |r| <= pi/4, in f64, where pi/2 is the sum of two
// numbers. What is left is rounded to f32, and the sum of a Taylor series.
//
//===----------------------------------------------------------------------===//

#include "FloatArithmetic.h"
#include "MoreFunctions.h"

#include <limits>
#include <numbers>

using namespace mlir;
using conv::ExpandFunction;
using Arithmetic = conv::FloatArithmetic;

namespace {
/// r, and k modulo 4, both of f32.
struct Reduced {
  Value rest, quarter;
};
} // namespace

static Reduced reduce(Arithmetic a, Value x) {
  constexpr double high = std::numbers::pi / 2, low = 6.123233995736766e-17;
  Arithmetic d = a.withElement(Float64Type::get(x.getContext()));
  Value number = d.convert(x);
  Value count = d.apply<math::RoundEvenOp>(d.mul(number, d.constant(1 / high)));
  Value minus = d.neg(count);
  Value rest = d.fma(minus, d.constant(high), number);
  rest = d.fma(minus, d.constant(low), rest);
  Value fours = d.floor(d.mul(count, d.constant(0.25)));
  Value quarter = d.fma(fours, d.constant(-4), count);
  // Beyond what f64 holds the rest is any number.
  rest = d.min(d.max(rest, d.constant(-1)), d.constant(1));
  return {a.convert(rest), a.convert(quarter)};
}

static Value sumSine(Arithmetic a, Value r) {
  Value square = a.mul(r, r);
  Value sum =
      a.polynomial({1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6}, square);
  return a.fma(a.mul(r, square), sum, r);
}

static Value sumCosine(Arithmetic a, Value r) {
  Value square = a.mul(r, r);
  return a.polynomial(
      {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1}, square);
}

/// Of the quarters the sine has r, c, -r, -c, the cosine c, -r, -c, r.
template <typename OpTy> static Value expandPeriodic(Arithmetic a, OpTy op) {
  Reduced x = reduce(a, op.getOperand());
  auto isIn = [&](int first, int second) {
    return a.isEither(a.isEqual(x.quarter, a.constant(first)),
                      a.isEqual(x.quarter, a.constant(second)));
  };
  constexpr bool isSine = std::is_same_v<OpTy, math::SinOp>;
  Value sine = sumSine(a, x.rest), cosine = sumCosine(a, x.rest);
  Value size = isSine ? a.select(isIn(1, 3), cosine, sine)
                      : a.select(isIn(1, 3), sine, cosine);
  Value isNegative = isSine ? isIn(2, 3) : isIn(1, 2);
  Value result = a.select(isNegative, a.neg(size), size);
  if (!isSine)
    return result;
  // Of -0 the sine is -0.
  return a.select(a.isEqual(op.getOperand(), a.constant(0)), op.getOperand(),
                  result);
}

/// Of magnitudes the angle from the nearer axis, which is at most pi/4. The
/// origin lies on an axis, the corner of infinity between two.
static Value expandAtan2(Arithmetic a, math::Atan2Op op) {
  constexpr double pi = std::numbers::pi;
  Value y = a.abs(op.getLhs()), x = a.abs(op.getRhs());
  Value least = a.min(x, y), most = a.max(x, y);
  Value infinity = a.constant(std::numeric_limits<double>::infinity());
  Value ratio = a.quotient(least, most);
  ratio = a.select(a.isEqual(most, a.constant(0)), most, ratio);
  ratio = a.select(a.isEqual(least, infinity), a.constant(1), ratio);
  Value angle = a.apply<math::AtanOp>(ratio);
  angle = a.select(a.isLess(x, y), a.sub(a.constant(pi / 2), angle), angle);
  // -0 counts as negative.
  Value side = a.copySign(a.constant(1), op.getRhs());
  angle = a.select(a.isLess(side, a.constant(0)), a.sub(a.constant(pi), angle),
                   angle);
  return a.copySign(angle, op.getLhs());
}

void conv::populatePeriodicFunctionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandFunction<math::SinOp>>(context,
                                            expandPeriodic<math::SinOp>);
  patterns.add<ExpandFunction<math::CosOp>>(context,
                                            expandPeriodic<math::CosOp>);
  patterns.add<ExpandFunction<math::Atan2Op>>(context, expandAtan2);
}
