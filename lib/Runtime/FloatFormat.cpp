//===- FloatFormat.cpp - rounding to narrow formats -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/FloatFormat.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace convmlir {

static constexpr int doubleFraction = 52;
static constexpr int doubleBias = 1023;
static constexpr uint64_t doubleHidden = uint64_t(1) << doubleFraction;

/// Bits of the magnitudes that are special in a format.
namespace {
struct Codes {
  uint32_t largest; ///< Largest finite magnitude.
  uint32_t nan;     ///< Canonical NaN.

  explicit Codes(const FloatFormat &format) {
    uint32_t all = (1u << (format.exponentBits + format.fractionBits)) - 1;
    uint32_t infinity = all ^ ((1u << format.fractionBits) - 1);
    largest = (format.hasInfinity ? infinity : all) - 1;
    nan = format.saturates ? all : infinity | (1u << (format.fractionBits - 1));
  }
};
} // namespace

/// m >> shift, rounded to nearest, ties to even. `shift` is at least 1.
static uint64_t shiftRoundingToEven(uint64_t m, int shift) {
  uint64_t quotient = m >> shift;
  uint64_t rest = m & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/// The magnitude bits of a finite positive number, before the overflow check.
static uint64_t encodeMagnitude(uint64_t bits, const FloatFormat &format) {
  int exponent = static_cast<int>(bits >> doubleFraction) - doubleBias;
  uint64_t significand = (bits & (doubleHidden - 1)) | doubleHidden;
  // The smallest normal exponent; numbers below it keep fewer fraction bits.
  int lowest = 1 - format.bias();
  int shift = doubleFraction - format.fractionBits;
  if (exponent < lowest) {
    // Beyond 54 bits nothing but the rounding to zero is left.
    shift = std::min(shift + lowest - exponent, doubleFraction + 2);
    // A carry out of the fraction is the smallest normal number, as it should.
    return shiftRoundingToEven(significand, shift);
  }
  uint64_t rounded = shiftRoundingToEven(significand, shift);
  uint64_t hidden = uint64_t(1) << format.fractionBits;
  return (static_cast<uint64_t>(exponent + format.bias())
          << format.fractionBits) +
         (rounded - hidden);
}

uint32_t encodeFloat(double value, const FloatFormat &format) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  int width = format.exponentBits + format.fractionBits;
  uint32_t sign = static_cast<uint32_t>(bits >> 63) << width;
  bits &= ~(uint64_t(1) << 63);

  constexpr uint64_t infinity = uint64_t(0x7ff) << doubleFraction;
  Codes codes(format);
  if (bits > infinity)
    return sign | codes.nan;
  uint32_t beyond = format.saturates ? codes.largest : codes.largest + 1;
  if (bits == infinity)
    return sign | beyond;
  // Zeros and subnormal doubles are far below half of the smallest number.
  if (bits < doubleHidden)
    return sign;
  uint64_t magnitude = encodeMagnitude(bits, format);
  if (magnitude > codes.largest)
    return sign | beyond;
  return sign | static_cast<uint32_t>(magnitude);
}

double decodeFloat(uint32_t bits, const FloatFormat &format) {
  int width = format.exponentBits + format.fractionBits;
  double sign = (bits >> width) & 1 ? -1.0 : 1.0;
  uint32_t magnitude = bits & ((1u << width) - 1);
  uint32_t largest = Codes(format).largest;
  if (magnitude > largest) {
    bool infinite = format.hasInfinity && magnitude == largest + 1;
    return sign * (infinite ? std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::quiet_NaN());
  }
  uint32_t exponent = magnitude >> format.fractionBits;
  uint32_t fraction = magnitude & ((1u << format.fractionBits) - 1);
  // 2^(e - bias - fractionBits), a normal double for every format here.
  int power = static_cast<int>(std::max(exponent, 1u)) - format.bias() -
              format.fractionBits;
  double unit = std::bit_cast<double>(static_cast<uint64_t>(power + doubleBias)
                                      << doubleFraction);
  uint32_t hidden = exponent == 0 ? 0 : 1u << format.fractionBits;
  return sign * unit * (fraction | hidden);
}

} // namespace convmlir
