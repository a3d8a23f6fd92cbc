//===- EmulatedTensorMap.h - tensor maps of the emulator --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 128 bytes that a kernel gets by value where a device gets a CUtensorMap.
// They hold a description of the emulator's own, and a mark by which it knows
// them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_EMULATOR_EMULATEDTENSORMAP_H
#define CONV_EMULATOR_EMULATEDTENSORMAP_H

#include "conv/Runtime/TensorMap.h"
#include "conv/Support/Result.h"

#include <array>
#include <cstddef>

namespace convmlir {

/// The value of a kernel argument; `&map` is what EmulatedModule::launch wants.
struct alignas(64) EmulatedTensorMap {
  std::array<std::byte, 128> bytes{};
};

/// Encodes a map of the tensor at `address`, a pointer into an EmulatorMemory;
/// `map.buffer` and `map.byteOffset` are not used. The error is what the driver
/// would refuse (alignment of the address and strides, limits of boxes, strides
/// and corners, a row longer than the swizzle span), and what the emulator does
/// not know: interleaved layouts, and rows shorter than the swizzle span.
Result<EmulatedTensorMap> encodeForEmulator(const TensorMap &map,
                                            const void *address);

} // namespace convmlir

#endif // CONV_EMULATOR_EMULATEDTENSORMAP_H
