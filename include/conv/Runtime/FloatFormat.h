//===- FloatFormat.h - floating-point formats in bits -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion between double and the bits of the narrower floating-point
// formats, one algorithm for all of them: round to nearest, ties to even,
// straight from double (never through a middle format, which would round
// twice). NaN stays NaN. Overflow gives infinity, or, in the 8-bit formats, the
// largest finite number, as the `satfinite` conversions of the hardware do.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_FLOATFORMAT_H
#define CONV_RUNTIME_FLOATFORMAT_H

#include <cstdint>

namespace convmlir {

/// A binary format: sign, exponent (bias 2^(exponentBits-1) - 1), fraction.
struct FloatFormat {
  int exponentBits;
  int fractionBits;
  /// Whether the highest exponent is reserved for infinity and NaN (IEEE 754);
  /// e4m3 uses it for numbers, all but the last code, which is NaN.
  bool hasInfinity;
  /// Whether overflow and infinities become the largest finite number.
  bool saturates;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
};

inline constexpr FloatFormat f16Format{5, 10, true, false};
inline constexpr FloatFormat bf16Format{8, 7, true, false};
/// 19 bits; in memory they are the upper bits of a 32-bit word.
inline constexpr FloatFormat tf32Format{8, 10, true, false};
inline constexpr FloatFormat e4m3Format{4, 3, false, true};
inline constexpr FloatFormat e5m2Format{5, 2, true, true};

/// The bits (1 + exponentBits + fractionBits of them) nearest to `value`.
uint32_t encodeFloat(double value, const FloatFormat &format);

/// The exact value of the bits.
double decodeFloat(uint32_t bits, const FloatFormat &format);

} // namespace convmlir

#endif // CONV_RUNTIME_FLOATFORMAT_H
