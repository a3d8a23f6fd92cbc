//===- EmulatorMemory.h - device buffers of the emulator --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that emulated kernels see as global memory. Every buffer lies in a
// mapping of its own between two inaccessible pages, and is known to the byte:
// an access that is not wholly inside one buffer is a fault of the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_EMULATOR_EMULATORMEMORY_H
#define CONV_EMULATOR_EMULATORMEMORY_H

#include "conv/Support/Result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convmlir {

/// A set of device buffers. Pointers are host pointers: the caller reads and
/// writes buffers directly (or with copyIn/copyOut, which check the bounds).
/// Not to be changed while a launch that uses it runs.
class EmulatorMemory {
public:
  /// One buffer: bytes [begin, end) inside a mapping of `mapped` bytes.
  struct Buffer {
    std::byte *begin = nullptr;
    std::byte *end = nullptr;
    void *mapping = nullptr;
    size_t mapped = 0;
  };

  EmulatorMemory() = default;
  EmulatorMemory(const EmulatorMemory &) = delete;
  EmulatorMemory &operator=(const EmulatorMemory &) = delete;
  ~EmulatorMemory();

  /// Allocates `bytes` (may be 0), aligned to 256 like the CUDA driver does,
  /// every byte set to `fill`: 0xFF makes each float NaN. What is filled with 0
  /// takes memory only where it is written: such a buffer may be larger than
  /// the machine's memory.
  Result<void *> allocate(size_t bytes, uint8_t fill = 0xFF);

  /// Releases a buffer by the pointer that `allocate` returned.
  Status release(void *pointer);

  /// Copies between the host and a buffer. `device` may point into a buffer;
  /// the whole range must lie inside it.
  Status copyIn(void *device, const void *host, size_t bytes);
  Status copyOut(void *host, const void *device, size_t bytes) const;

  /// The buffer that contains all of [pointer, pointer + bytes), or null.
  const Buffer *find(const void *pointer, size_t bytes) const;

  /// The buffer with the boundary nearest to `pointer`, or null if there is no
  /// buffer. Used to word messages.
  const Buffer *nearest(const void *pointer) const;

private:
  std::vector<Buffer> buffers;
};

} // namespace convmlir

#endif // CONV_EMULATOR_EMULATORMEMORY_H
