//===- Fiber.cpp - stacks of emulated threads -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Fiber.h.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <cstdint>
#include <sys/mman.h>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_UNPOISON_MEMORY_REGION(address, size)
#endif

extern "C" void emuFiberEntry();

namespace convmlir::emu {

/// Code that is made quickly has a place for every value of a kernel whose loops
/// are unrolled: the derivative of gelu of 128 sums takes more than 64 KB. Pages
/// that nobody touches take no memory.
static constexpr size_t kStackBytes = 512 << 10;
static constexpr size_t kGuardBytes = 4096;

/// Stacks at an equal pitch would all use the same few cache sets, which
/// doubles the cost of a switch: each starts at an offset of its own
/// ("colour").
static constexpr size_t kColours = 61;
static constexpr size_t kColourBytes = 320;

FiberStacks::~FiberStacks() {
  if (base)
    munmap(base, count * kStackBytes);
}

Status FiberStacks::reserve(size_t wanted) {
  void *mapping =
      mmap(nullptr, wanted * kStackBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (mapping == MAP_FAILED)
    return Error{"emulator: no memory for the stacks of " +
                 std::to_string(wanted) + " threads"};
  base = static_cast<std::byte *>(mapping);
  count = wanted;
  for (size_t i = 0; i < count; ++i)
    if (mprotect(base + i * kStackBytes, kGuardBytes, PROT_NONE) != 0)
      return Error{"emulator: the system has no more areas of memory for the "
                   "stacks of " +
                   std::to_string(wanted) + " threads"};
  return {};
}

const std::byte *FiberStacks::endOf(size_t index) const {
  return base + (index + 1) * kStackBytes - (index % kColours) * kColourBytes;
}

void *FiberStacks::prepare(size_t index, void (*function)(void *),
                           void *argument) const {
  // The frames of the stack's last use were abandoned, not left: an address
  // sanitizer still takes parts of them for inaccessible.
  ASAN_UNPOISON_MEMORY_REGION(base + index * kStackBytes + kGuardBytes,
                              kStackBytes - kGuardBytes);
  auto *word =
      reinterpret_cast<uintptr_t *>(const_cast<std::byte *>(endOf(index)));
  // The frame that emuResumeFiber pops. One word of padding leaves the stack
  // aligned as the ABI wants it at the call in emuFiberEntry.
  *--word = 0;
  *--word = 0;
  *--word = reinterpret_cast<uintptr_t>(&emuFiberEntry);
  *--word = 0;                                     // rbp
  *--word = 0;                                     // rbx
  *--word = reinterpret_cast<uintptr_t>(function); // r12
  *--word = reinterpret_cast<uintptr_t>(argument); // r13
  *--word = 0;                                     // r14
  *--word = 0;                                     // r15
  return word;
}

} // namespace convmlir::emu
