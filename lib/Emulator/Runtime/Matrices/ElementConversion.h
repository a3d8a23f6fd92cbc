//===- ElementConversion.h - factors to numbers -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What matrix instructions make of the elements of their operands: f32, or
// integers of 32 bits. Inlined into functions for several instruction sets.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_ELEMENTCONVERSION_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_ELEMENTCONVERSION_H

#include "HalfConversion.h"
#include "MmaOps.h"

#include <array>
#include <cmath>
#include <limits>

namespace convmlir::emu {

using S32x8 [[gnu::vector_size(32)]] = int32_t;

/// What the elements of a type are multiplied as.
template <MmaElement Element> struct NumberOf {
  using Type = float;
  using Vector = F32x8;
};
template <> struct NumberOf<MmaElement::S8> {
  using Type = int32_t;
  using Vector = S32x8;
};

/// OCP e4m3: exponent bias 7, no infinity, one NaN of each sign.
inline float decodeE4M3(unsigned code) {
  unsigned exponent = code >> 3 & 15, fraction = code & 7;
  float magnitude = exponent == 0
                        ? std::ldexp(float(fraction), -9)
                        : std::ldexp(float(8 + fraction), int(exponent) - 10);
  if ((code & 0x7f) == 0x7f)
    magnitude = std::numeric_limits<float>::quiet_NaN();
  return code & 0x80 ? -magnitude : magnitude;
}

inline const std::array<float, 256> &tableOfE4M3() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> numbers;
    for (unsigned code = 0; code < numbers.size(); ++code)
      numbers[code] = decodeE4M3(code);
    return numbers;
  }();
  return table;
}

/// Converts the elements of a fragment of up to four registers. 8-bit floats
/// and integers come in as many as 16.
template <MmaElement Element>
EMU_INLINE void convertFragment(const std::byte *from, unsigned bytes,
                                typename NumberOf<Element>::Type *out) {
  if constexpr (Element == MmaElement::TF32) {
    uint32_t words[4];
    std::memcpy(words, from, bytes);
    for (unsigned i = 0; i < bytes / 4; ++i) {
      // Tensor cores ignore the low 13 bits of a tf32 register.
      uint32_t bits = words[i] & 0xffffe000u;
      std::memcpy(out + i, &bits, sizeof bits);
    }
  } else if constexpr (Element == MmaElement::S8) {
    for (unsigned i = 0; i < bytes; ++i)
      out[i] = int8_t(from[i]);
  } else if constexpr (Element == MmaElement::E4M3) {
    const std::array<float, 256> &table = tableOfE4M3();
    for (unsigned i = 0; i < bytes; ++i)
      out[i] = table[uint8_t(from[i])];
  } else if constexpr (Element == MmaElement::E5M2) {
    // The upper byte of an f16.
    for (unsigned first = 0; first < bytes; first += 8) {
      U16x8 halves{};
      for (unsigned i = 0; i < 8; ++i)
        halves[i] = uint16_t(uint16_t(from[first + i]) << 8);
      convertF16(halves, out + first);
    }
  } else {
    U16x8 halves{};
    std::memcpy(&halves, from, bytes);
    if constexpr (Element == MmaElement::F16)
      convertF16(halves, out);
    else
      convertBF16(halves, out);
  }
}

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_ELEMENTCONVERSION_H
