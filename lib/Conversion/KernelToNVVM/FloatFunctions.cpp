//===- FloatFunctions.cpp - exp, tanh and erf of f32 ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function is a few fused multiply-adds around one or two exp2, without a
// branch: the lanes of a warp are at different places of the number line.
// Polynomials are minimax approximations (Remez) of the relative error, for
// erf's outer ones of the absolute error.
//
//===----------------------------------------------------------------------===//

#include "FloatFunctions.h"

#include "FloatArithmetic.h"

#include <numbers>

using namespace mlir;
using conv::ExpandFunction;
using Arithmetic = conv::FloatArithmetic;

/// e^x = 2^n * 2^f with n = floor(x log2(e)). Both powers are results of exp2,
/// so that the first may be infinite, zero or subnormal.
static Value expandExp(Arithmetic a, Value x) {
  constexpr double log2e = std::numbers::log2e;
  constexpr float high = static_cast<float>(log2e);
  Value outer = a.constant(150);
  x = a.min(a.max(x, a.neg(outer)), outer);
  Value whole = a.floor(a.mul(x, a.constant(high)));
  Value rest = a.fma(x, a.constant(high), a.neg(whole));
  rest = a.fma(x, a.constant(log2e - high), rest);
  return a.mul(a.exp2(rest), a.exp2(whole));
}

/// The rounding of x log2(e) is a relative error of the result.
static Value approximateExp(Arithmetic a, Value x) {
  return a.exp2(a.mul(x, a.constant(std::numbers::log2e)));
}

/// 1 - 2 / (1 + e^2|x|), or, where that would cancel, x + x^3 p(x^2).
static Value expandTanh(Arithmetic a, Value x) {
  constexpr double middle = 0.6;
  Value magnitude = a.abs(x);
  Value power = a.exp2(a.mul(magnitude, a.constant(2 * std::numbers::log2e)));
  Value one = a.constant(1);
  Value outer = a.sub(one, a.divide(a.constant(2), a.add(power, one)));

  Value square = a.mul(x, x);
  Value sum = a.polynomial({-0.005895158255013041, 0.020795971804881887,
                            -0.05378383031290028, 0.13331924126947356,
                            -0.33333298002110995},
                           square);
  Value inner = a.fma(a.mul(x, square), sum, x);
  return a.select(a.isLess(magnitude, a.constant(middle)), inner,
                  a.copySign(outer, x));
}

/// 1 - 2^q(|x|). From 4 on erf rounds to 1.
static Value outerErf(Arithmetic a, Value x, ArrayRef<double> coefficients) {
  Value magnitude = a.min(a.abs(x), a.constant(4));
  Value power = a.exp2(a.polynomial(coefficients, magnitude));
  return a.copySign(a.sub(a.constant(1), power), x);
}

/// Below 1, where that would cancel, x + x p(x^2).
static Value expandErf(Arithmetic a, Value x) {
  Value outer =
      outerErf(a, x,
               {0.0002677265943352536, -0.004240955811782618,
                0.03145842038332563, -0.14865149217609516, -0.92076502947263,
                -1.6259750649768192, -0.0005103107677544098});
  Value inner = a.polynomial({7.853861054778113e-05, -0.0008010193522570259,
                              0.005188327672283036, -0.02685381192702633,
                              0.11283585148380655, -0.3761262582420981,
                              0.1283791657267116},
                             a.mul(x, x));
  return a.select(a.isLess(a.abs(x), a.constant(1)), a.fma(x, inner, x), outer);
}

/// The absolute error is that of expandErf.
static Value approximateErf(Arithmetic a, Value x) {
  return outerErf(a, x,
                  {0.00010022147541911526, -0.00046157677415045424,
                   -0.0023022259373230987, 0.02945249764906607,
                   -0.14896365757916435, -0.9183286474925284,
                   -1.627913731551003, 0});
}

static bool mayApproximate(arith::ArithFastMathInterface op) {
  arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr();
  return flags &&
         arith::bitEnumContainsAll(flags.getValue(), arith::FastMathFlags::afn);
}

void conv::populateFloatFunctionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandFunction<math::ExpOp>>(
      context, [](Arithmetic a, math::ExpOp op) {
        return mayApproximate(op) ? approximateExp(a, op.getOperand())
                                  : expandExp(a, op.getOperand());
      });
  patterns.add<ExpandFunction<math::TanhOp>>(
      context, [](Arithmetic a, math::TanhOp op) {
        return expandTanh(a, op.getOperand());
      });
  patterns.add<ExpandFunction<math::ErfOp>>(
      context, [](Arithmetic a, math::ErfOp op) {
        return mayApproximate(op) ? approximateErf(a, op.getOperand())
                                  : expandErf(a, op.getOperand());
      });
}
