//===- Errors.cpp - errors of correct kernels -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include <algorithm>
#include <cmath>

using namespace convmlir;

/// Roundings to nearest add up like a random walk (N. Higham, T. Mary, "A new
/// approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41,
/// 2019): four standard deviations. Tensor cores cut off what does not fit,
/// which adds up as it is, once for eight products or more.
double convmlir::relativeErrorOfSum(const std::string &type, int64_t terms) {
  constexpr double deviations = 4, products = 8;
  // Tensor cores of Hopper sum a block of products with 14 significant bits.
  constexpr double ofShortSums = 0x1p-11;
  if (type == "s8")
    return 0;
  auto count = static_cast<double>(std::max<int64_t>(terms, 1));
  double unit = type == "f64" ? 0x1p-52 : 0x1p-23;
  double error = unit * (deviations * std::sqrt(count) + count / products);
  return type == "e4m3" || type == "e5m2" ? error + ofShortSums : error;
}

void convmlir::addRounding(Bounded &number, const std::string &type) {
  if (!std::isfinite(number.value)) {
    number.error = 0;
    return;
  }
  bool isDouble = type == "f64";
  bool isHeld = isDouble ? number.value == std::trunc(number.value)
                         : static_cast<float>(number.value) == number.value;
  if (number.error == 0 && isHeld)
    return;
  double unit = isDouble ? 0x1p-53 : 0x1p-24;
  double least = isDouble ? 0 : 0x1p-150;
  number.error += unit * (std::abs(number.value) + number.error) + least;
}

/// The distance of numbers of f32 of that magnitude.
static double unitOfF32(double magnitude) {
  constexpr int leastExponent = -126, fractionBits = 23;
  int exponent = magnitude == 0 ? leastExponent : std::ilogb(magnitude);
  return std::ldexp(1.0, std::max(exponent, leastExponent) - fractionBits);
}

double convmlir::errorOfFunction(double magnitude, bool isShort) {
  constexpr double units = 8;
  constexpr double relative = 0x1p-12, absolute = 0x1p-119;
  if (!std::isfinite(magnitude))
    return 0;
  double error = units * unitOfF32(magnitude);
  return isShort ? std::max(error, relative * magnitude) + absolute : error;
}

double convmlir::wrapToS32(double value) {
  constexpr double range = 0x1p32;
  return value - range * std::floor(value / range + 0.5);
}

double convmlir::saturateToS32(double value) {
  return std::clamp(value, -0x1p31, 0x1p31 - 1);
}
