//===- ActivationImport.cpp - activations as scalar arithmetic ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All functions are made of a power e^-t with t >= 0 that is never subtracted
// from what it is close to: with the sigmoid s, s(-x) is e^-x / (1 + e^-x), and
// 1 - s(x) is that, too. The power keeps its precision where it is too small
// for a normal f32: it is multiplied by 2^100, and what is made of it is
// divided by that in the end, which rounds once.
//
//===----------------------------------------------------------------------===//

#include "ActivationImport.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::conv;
using convmlir::Activation;
using convmlir::Epilogue;

namespace {

/// A factor e^(rate * (high + low)) of a power, with `high` of f32; `low`,
/// which may be null, is what `high` was rounded by.
struct Exponent {
  Value high, low;
  double rate;
};

/// A power e^-t, and what is mostly made of it.
struct Power {
  Value scaled; ///< 2^100 e^-t; approximate ones: e^-t.
  Value value;  ///< e^-t.
  Value onePlus;
};

/// Builds one activation of x or its derivative.
class ActivationBuilder {
public:
  ActivationBuilder(ScalarBuilder &build, Value x)
      : build(build), x(x), type(x.getType()) {}

  Value sigmoidTimes(Value factor, const Power &power);
  Value gelu();

  Value sigmoidDerivative(const Power &power, double factor);
  Value productDerivative(const Power &power, Value bend);
  Value geluDerivative();

  Power powerOfMinus(Value magnitude);
  Power powerOfCubic();
  Value cubicBend();

private:
  Value number(double value) { return build.number(type, value); }
  Value magnitude(double most) { return build.atMost(build.absolute(x), most); }
  Value ifNegative(Value a, Value b) {
    return build.select(build.isNegative(x), a, b);
  }
  Value unscale(Value value) {
    return build.mayApproximate() ? value : build.times(value, 1 / scale);
  }
  Value unscaleIfNegative(Value value) {
    if (build.mayApproximate())
      return value;
    return build.multiply(value, ifNegative(number(1 / scale), number(1)));
  }
  Power toPower(Value scaled);
  Value scaledPower(ArrayRef<Exponent> exponents);
  Value polynomial(ArrayRef<double> coefficients, Value at);
  Exponent squareOf(Value value, double rate);
  Value density(Value at);
  Value tail(Value at);
  Value tailOverDensity(Value at);

  static constexpr double scale = 0x1p100;
  ScalarBuilder &build;
  Value x;
  Type type;
};

} // namespace

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// From the coefficient of the highest power on.
Value ActivationBuilder::polynomial(ArrayRef<double> coefficients, Value at) {
  Value sum = number(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = build.fma(sum, at, number(coefficient));
  return sum;
}

/// The product of the powers, times 2^100. Each exponent of 2 is a whole number
/// and a rest, which no rounding of the product with the rate touches.
Value ActivationBuilder::scaledPower(ArrayRef<Exponent> exponents) {
  Value whole = number(std::log2(scale)), rest;
  for (const Exponent &exponent : exponents) {
    double rate = exponent.rate * std::numbers::log2e;
    auto high = static_cast<float>(rate);
    Value factor = number(high);
    Value part = build.floor(build.multiply(exponent.high, factor));
    Value left = build.fma(exponent.high, factor, build.negate(part));
    left = build.fma(exponent.high, number(rate - high), left);
    if (exponent.low)
      left = build.fma(exponent.low, factor, left);
    whole = build.add(whole, part);
    rest = rest ? build.add(rest, left) : left;
  }
  return build.multiply(build.exp2(rest), build.exp2(whole));
}

Power ActivationBuilder::toPower(Value scaled) {
  Value value = unscale(scaled);
  return {scaled, value, build.add(value, number(1))};
}

/// e^-magnitude.
Power ActivationBuilder::powerOfMinus(Value magnitude) {
  if (build.mayApproximate())
    return toPower(build.exp(build.negate(magnitude)));
  return toPower(scaledPower({{magnitude, nullptr, -1}}));
}

/// The square of a number, exactly.
Exponent ActivationBuilder::squareOf(Value value, double rate) {
  Value square = build.multiply(value, value);
  return {square, build.fma(value, value, build.negate(square)), rate};
}

//===----------------------------------------------------------------------===//
// Sigmoids
//===----------------------------------------------------------------------===//

/// factor s(v), of the power of |v|, where v has the sign of x: 1 / (1 + e^-v),
/// or e^v / (1 + e^v) where v is negative.
Value ActivationBuilder::sigmoidTimes(Value factor, const Power &power) {
  Value s = build.divide(ifNegative(power.scaled, number(1)), power.onePlus);
  return unscaleIfNegative(build.multiply(factor, s));
}

/// factor s(v) s(-v).
Value ActivationBuilder::sigmoidDerivative(const Power &power, double factor) {
  Value square = build.multiply(power.onePlus, power.onePlus);
  Value above = factor == 1 ? power.scaled : build.times(power.scaled, factor);
  return unscale(build.divide(above, square));
}

/// Of x s(v), with the bend x v': s (1 + bend s(-v)), which is 1 + e + bend e
/// over (1 + e)^2, or e (1 + e + bend) over that where v is negative.
Value ActivationBuilder::productDerivative(const Power &power, Value bend) {
  Value term = ifNegative(bend, build.multiply(bend, power.value));
  Value sum = build.add(power.onePlus, term);
  Value above = build.multiply(ifNegative(power.scaled, number(1)), sum);
  Value square = build.multiply(power.onePlus, power.onePlus);
  return unscaleIfNegative(build.divide(above, square));
}

/// (1 + tanh(u)) / 2 = s(v) with v = 2u = root (x + cubic x^3).
static constexpr double kGeluCubic = 0.044715;
static double getGeluRoot() { return std::sqrt(8 / std::numbers::pi); }

/// Of |v|. From |x| = 20 on e^-|v| is 0.
Power ActivationBuilder::powerOfCubic() {
  double root = getGeluRoot();
  Value m = magnitude(20);
  Exponent square = squareOf(m, 0);
  if (build.mayApproximate()) {
    Value sum = build.fma(square.high, number(kGeluCubic * root), number(root));
    return powerOfMinus(build.multiply(sum, m));
  }
  Value cube = build.multiply(square.high, m);
  Value rest = build.fma(square.high, m, build.negate(cube));
  rest = build.fma(square.low, m, rest);
  return toPower(
      scaledPower({{m, nullptr, -root}, {cube, rest, -kGeluCubic * root}}));
}

/// x v'.
Value ActivationBuilder::cubicBend() {
  double root = getGeluRoot();
  Value square = build.multiply(x, x);
  return build.multiply(
      x, build.fma(square, number(3 * kGeluCubic * root), number(root)));
}

//===----------------------------------------------------------------------===//
// The normal distribution
//===----------------------------------------------------------------------===//

static constexpr double kDensityAtZero =
    std::numbers::inv_sqrtpi / std::numbers::sqrt2;

/// For results of few bits.
Value ActivationBuilder::density(Value at) {
  Value exponent = build.multiply(build.times(at, -0.5), at);
  return build.times(build.exp(exponent), kDensityAtZero);
}

/// The distribution at -m over e^(-m^2/2): a polynomial of m / (m + 2.5) over
/// m + 2.5 (minimax approximation of the relative error).
Value ActivationBuilder::tailOverDensity(Value m) {
  constexpr double pole = 2.5;
  Value inverse = build.divide(number(1), build.add(m, number(pole)));
  Value sum = polynomial(
      {-0.08056879043579102, 0.2829360067844391, -0.3190270960330963,
       0.14351490139961243, -0.1529550850391388, 0.057168059051036835,
       0.29163190722465515, 0.16963358223438263, -1.2433935403823853, 1.25},
      build.multiply(m, inverse));
  return build.multiply(sum, inverse);
}

/// The distribution at -m for results of few bits: 2^p(m). p falls without end.
Value ActivationBuilder::tail(Value m) {
  return build.exp2(polynomial({-2.065009052643063e-09, 1.4909909396010335e-07,
                                -4.726647148345364e-06, 8.715693547856063e-05,
                                -0.0010480659548193216, 0.00878897961229086,
                                -0.05426240339875221, -0.4584093987941742,
                                -1.1511653661727905, -1.0000165700912476},
                               m));
}

/// x P(x) with the distribution P: that of -|x| is its tail.
Value ActivationBuilder::gelu() {
  if (build.mayApproximate()) {
    Value below = tail(build.absolute(x));
    Value above = build.subtract(number(1), below);
    return build.multiply(x, ifNegative(below, above));
  }
  Value m = magnitude(30);
  Value below =
      build.multiply(scaledPower({squareOf(m, -0.5)}), tailOverDensity(m));
  Value above = build.subtract(number(1), unscale(below));
  return unscaleIfNegative(build.multiply(x, ifNegative(below, above)));
}

/// P(x) + x p(x) with the density p: below 0, the tail less m p(m) with m =
/// |x|; above, 1 less that.
Value ActivationBuilder::geluDerivative() {
  Value m = magnitude(30);
  Value below;
  if (build.mayApproximate()) {
    below = build.fma(build.negate(m), density(m), tail(m));
  } else {
    Value sum = build.fma(m, number(-kDensityAtZero), tailOverDensity(m));
    below = unscale(build.multiply(scaledPower({squareOf(m, -0.5)}), sum));
  }
  return ifNegative(below, build.subtract(number(1), below));
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// x / (1 + exp(-z)), for results of few bits.
static Value timesSigmoid(ScalarBuilder &build, Value x, Value z) {
  Value power = build.exp(build.negate(z));
  return build.divide(x, build.add(power, build.number(z.getType(), 1)));
}

static Value buildShortActivation(ScalarBuilder &build, Activation activation,
                                  Value x) {
  Type type = x.getType();
  switch (activation) {
  case Activation::GeluTanh: {
    double root = getGeluRoot();
    Value cubic =
        build.fma(build.multiply(x, x), build.number(type, kGeluCubic * root),
                  build.number(type, root));
    return timesSigmoid(build, x, build.multiply(cubic, x));
  }
  case Activation::Silu:
    return timesSigmoid(build, x, x);
  default:
    return timesSigmoid(build, build.number(type, 1), x);
  }
}

/// From here on e^-t is 0, times 2^100, too.
static constexpr double kLargestExponent = 200;

static Value buildSigmoid(ScalarBuilder &build, Activation activation,
                          Value x) {
  if (build.mayApproximate())
    return buildShortActivation(build, activation, x);
  ActivationBuilder of(build, x);
  if (activation == Activation::GeluTanh)
    return of.sigmoidTimes(x, of.powerOfCubic());
  Value magnitude = build.atMost(build.absolute(x), kLargestExponent);
  Value factor =
      activation == Activation::Silu ? x : build.number(x.getType(), 1);
  return of.sigmoidTimes(factor, of.powerOfMinus(magnitude));
}

Value conv::buildActivation(ScalarBuilder &build, const Epilogue &epilogue,
                            Value x) {
  switch (epilogue.activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return build.atLeast(x, 0);
  case Activation::Clip:
    return build.atMost(build.atLeast(x, epilogue.low), epilogue.high);
  case Activation::Gelu:
    return ActivationBuilder(build, x).gelu();
  case Activation::GeluTanh:
  case Activation::Silu:
  case Activation::Sigmoid:
    return buildSigmoid(build, epilogue.activation, x);
  case Activation::Tanh:
    return build.tanh(x);
  }
  return x;
}

Value conv::buildDerivative(ScalarBuilder &build, Activation activation,
                            Value x) {
  // Beyond, a derivative is 0 or 1; an infinity would meet a 0.
  x = build.atMost(build.atLeast(x, -kLargestExponent), kLargestExponent);
  ActivationBuilder of(build, x);
  Value magnitude = build.absolute(x);
  switch (activation) {
  case Activation::Gelu:
    return of.geluDerivative();
  case Activation::GeluTanh:
    return of.productDerivative(of.powerOfCubic(), of.cubicBend());
  case Activation::Silu:
    return of.productDerivative(of.powerOfMinus(magnitude), x);
  case Activation::Sigmoid:
    return of.sigmoidDerivative(of.powerOfMinus(magnitude), 1);
  case Activation::Tanh: {
    // 1 - tanh(x)^2 = 4 s(2x) s(-2x).
    Value doubled =
        build.atMost(build.add(magnitude, magnitude), kLargestExponent);
    return of.sigmoidDerivative(of.powerOfMinus(doubled), 4);
  }
  default:
    return build.number(x.getType(), 1);
  }
}
