//===- HalfConversion.h - sixteen-bit floats to f32 -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eight numbers at once, by vector extensions of the compiler: for files that
// are compiled for several instruction sets.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_HALFCONVERSION_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_HALFCONVERSION_H

#include <cstdint>
#include <cstring>

#define EMU_INLINE [[gnu::always_inline]] static inline

namespace convmlir::emu {

using U16x8 [[gnu::vector_size(16)]] = uint16_t;
using U32x8 [[gnu::vector_size(32)]] = uint32_t;
using F32x8 [[gnu::vector_size(32)]] = float;

/// Moves exponent and mantissa into place and rescales: exact for subnormals
/// too.
EMU_INLINE void convertF16(const U16x8 &halves, float *out) {
  U32x8 word = __builtin_convertvector(halves, U32x8);
  U32x8 magnitude = (word & 0x7fffu) << 13;
  F32x8 scaled = (F32x8)magnitude * 0x1p112f;
  auto special = (U32x8)(magnitude >= 0x0f800000u);
  U32x8 bits =
      (U32x8)scaled | (special & 0x7f800000u) | ((word & 0x8000u) << 16);
  std::memcpy(out, &bits, sizeof bits);
}

EMU_INLINE void convertBF16(const U16x8 &halves, float *out) {
  U32x8 bits = __builtin_convertvector(halves, U32x8) << 16;
  std::memcpy(out, &bits, sizeof bits);
}

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_HALFCONVERSION_H
