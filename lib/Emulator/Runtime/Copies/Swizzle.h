//===- Swizzle.h - swizzles of shared memory --------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk copies and wgmma permute the 16-byte chunks of shared memory by the bits
// of the address itself: bits 4 and up are xored with bits 7 and up, one bit
// for a span of 32 bytes, two for 64, three for 128.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_COPIES_SWIZZLE_H
#define CONV_LIB_EMULATOR_RUNTIME_COPIES_SWIZZLE_H

#include <cstdint>

namespace convmlir::emu {

/// Bits that a swizzle permutes: 0 (none), 1 (32 bytes), 2 (64), 3 (128).
using SwizzleBits = uint8_t;

/// Where the chunk of an address really is. `phase` shifts the pattern by so
/// many units of 128 bytes.
inline uint32_t swizzled(uint32_t address, SwizzleBits bits,
                         uint32_t phase = 0) {
  uint32_t mask = (1u << bits) - 1;
  return address ^ (((address >> 7) - phase) & mask) << 4;
}

/// Bytes of a row of the pattern.
inline uint32_t swizzleSpan(SwizzleBits bits) { return 16u << bits; }

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_COPIES_SWIZZLE_H
