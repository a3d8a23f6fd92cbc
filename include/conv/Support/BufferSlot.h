//===- BufferSlot.h - buffers in one piece of memory ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The workspace of a launch is one piece of memory, and so are the constants of
// a plan. Everybody who says how many bytes these have counts the buffers so.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_BUFFERSLOT_H
#define CONV_SUPPORT_BUFFERSLOT_H

#include <cstdint>

namespace convmlir {

/// The distance of a buffer of so many bytes to the next one: what CUDA aligns
/// allocations to.
inline constexpr int64_t bufferSlot(int64_t bytes) {
  constexpr int64_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace convmlir

#endif // CONV_SUPPORT_BUFFERSLOT_H
