//===- SharedArena.cpp - where shared memory lives ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SharedArena.h.
//
//===----------------------------------------------------------------------===//

#include "SharedArena.h"

#include <cstdint>
#include <sys/mman.h>

namespace convmlir::emu {

/// Addresses that are tried: above what a non-relocatable executable and its
/// heap use, below 2 GB where sanitizers keep their shadow.
static constexpr uintptr_t kFirstAddress = 0x20000000;
static constexpr uintptr_t kLastAddress = 0x7f000000;

SharedArena::~SharedArena() {
  if (base)
    munmap(base, bytes);
}

Status SharedArena::reserve(size_t ctaCount) {
  bytes = ctaCount * kSharedWindowBytes;
  for (uintptr_t address = kFirstAddress; address + bytes <= kLastAddress;
       address += kSharedWindowBytes) {
    // MAP_FIXED_NOREPLACE refuses a range that is in use: other workers and
    // launches find their own by trying the next window.
    void *mapping =
        mmap(reinterpret_cast<void *>(address), bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, /*fd=*/-1, 0);
    if (mapping == MAP_FAILED)
      continue;
    if (mapping != reinterpret_cast<void *>(address)) {
      munmap(mapping, bytes); // A kernel before 4.17 takes it as a hint.
      continue;
    }
    base = static_cast<std::byte *>(mapping);
    return {};
  }
  return Error{"emulator: no " + std::to_string(bytes) +
               " bytes of address space below 2 GB for shared memory"};
}

} // namespace convmlir::emu
