//===- Magnitudes.cpp - how large what made up an element was -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Magnitudes.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

Growth conv::getGrowth(Operation &op) {
  if (!isFloat(op.getResult(0)) || llvm::none_of(op.getOperands(), isFloat))
    return Growth::None;
  return TypeSwitch<Operation *, Growth>(&op)
      .Case<arith::AddFOp, arith::SubFOp, stablehlo::AddOp,
            stablehlo::SubtractOp>([](auto) { return Growth::Sum; })
      .Case<arith::MulFOp, stablehlo::MultiplyOp>(
          [](auto) { return Growth::Product; })
      .Case<math::FmaOp>([](auto) { return Growth::Fma; })
      .Case<arith::SelectOp, stablehlo::SelectOp>(
          [](auto) { return Growth::Chosen; })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, math::FloorOp,
            math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp,
            math::AbsFOp, math::CopySignOp, stablehlo::NegOp, stablehlo::AbsOp,
            stablehlo::CeilOp, stablehlo::ConvertOp, stablehlo::FloorOp,
            stablehlo::RoundAfzOp, stablehlo::RoundEvenOp>(
          [](auto) { return Growth::First; })
      .Default(Growth::Slope);
}

/// NaN where there is none says nothing.
static double larger(double a, double b) { return std::fmax(a, b); }

/// std::hypot would need a newer C library than the wheel may.
static double hypotenuse(long double a, long double b) {
  return static_cast<double>(std::sqrt(a * a + b * b));
}

double conv::addMagnitudes(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : hypotenuse(a, b);
}

/// Of 0 and infinity nothing is known.
static double multiply(const Scalar &value, double magnitude) {
  auto product = static_cast<double>(std::fabs(value) * magnitude);
  return std::isnan(product) ? 0 : product;
}

static double getProduct(ArrayRef<Scalar> x, ArrayRef<double> magnitudes) {
  return larger(multiply(x[0], magnitudes[1]), multiply(x[1], magnitudes[0]));
}

/// How far the function moves for one operand, in the measure of the operand's
/// magnitude. Where it has no number on one side (a logarithm beside 0), by
/// the other.
static double getMoved(llvm::function_ref<Scalar(const Scalar *)> function,
                       ArrayRef<Scalar> operands, unsigned which,
                       double magnitude, Scalar result) {
  constexpr double share = 0x1p-20;
  SmallVector<Scalar, 3> moved(operands);
  auto at = [&](double step) {
    moved[which] = operands[which] + Scalar(magnitude) * step;
    return function(moved.data());
  };
  Scalar above = at(share), below = at(-share);
  Scalar distance = std::isfinite(above) && std::isfinite(below)
                        ? (above - below) / 2
                    : std::isfinite(above) ? above - result
                                           : result - below;
  return std::isfinite(distance)
             ? static_cast<double>(std::fabs(distance) / share)
             : 0;
}

double conv::getMagnitude(Growth growth,
                          llvm::function_ref<Scalar(const Scalar *)> function,
                          ArrayRef<Scalar> operands,
                          ArrayRef<double> magnitudes, Scalar result) {
  auto own = static_cast<double>(std::fabs(result));
  switch (growth) {
  case Growth::None:
    return own;
  case Growth::First:
    return larger(own, magnitudes[0]);
  case Growth::Chosen:
    return larger(own, magnitudes[operands[0] != 0 ? 1 : 2]);
  case Growth::Sum:
    return larger(own, addMagnitudes(magnitudes[0], magnitudes[1]));
  case Growth::Product:
    return larger(own, getProduct(operands, magnitudes));
  case Growth::Fma:
    return larger(
        own, addMagnitudes(getProduct(operands, magnitudes), magnitudes[2]));
  case Growth::Slope:
    for (auto [i, magnitude] : llvm::enumerate(magnitudes))
      if (std::isfinite(magnitude))
        own = larger(own, getMoved(function, operands, i, magnitude, result));
    return own;
  }
  llvm_unreachable("unknown growth");
}

std::vector<double> conv::getMagnitudes(const std::vector<double> &values) {
  std::vector<double> magnitudes(values.size());
  llvm::transform(values, magnitudes.begin(),
                  [](double value) { return std::abs(value); });
  return magnitudes;
}
