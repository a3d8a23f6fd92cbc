//===- LittleEndian.h - integers in files --------------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_LITTLEENDIAN_H
#define CONV_SUPPORT_LITTLEENDIAN_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace convmlir {

/// Appends the low `size` bytes of a value.
inline void appendLittleEndian(std::vector<uint8_t> &bytes, uint64_t value,
                               int size) {
  for (int i = 0; i < size; ++i)
    bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

/// The integer of `size` bytes at a position that is there.
inline uint64_t readLittleEndian(std::span<const uint8_t> bytes, size_t at,
                                 size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
  return value;
}

} // namespace convmlir

#endif // CONV_SUPPORT_LITTLEENDIAN_H
