//===- SharedArena.h - where shared memory lives ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each workgroup of a cluster gets a 256 KB window in one block below 4 GB:
// a 32-bit shared address then is the flat address, the low 18 bits of it are
// the offset in the workgroup (as in a matrix descriptor), and a swizzle that
// XORs address bits does what the hardware does.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDARENA_H
#define CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDARENA_H

#include "conv/Support/Result.h"

#include <cstddef>

namespace convmlir::emu {

/// Bytes of the window of one workgroup, and its alignment.
inline constexpr size_t kSharedWindowBytes = size_t(256) << 10;

class SharedArena {
public:
  SharedArena() = default;
  SharedArena(const SharedArena &) = delete;
  SharedArena &operator=(const SharedArena &) = delete;
  ~SharedArena();

  /// Maps the windows of `ctaCount` workgroups. Called once.
  Status reserve(size_t ctaCount);

  std::byte *window(size_t cta) const {
    return base + cta * kSharedWindowBytes;
  }

private:
  std::byte *base = nullptr;
  size_t bytes = 0;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDARENA_H
