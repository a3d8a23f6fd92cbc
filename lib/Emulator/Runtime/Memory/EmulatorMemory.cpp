//===- EmulatorMemory.cpp - device buffers of the emulator ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See conv/Emulator/EmulatorMemory.h.
//
//===----------------------------------------------------------------------===//

#include "conv/Emulator/EmulatorMemory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace convmlir {

static constexpr size_t kPageBytes = 4096;
static constexpr size_t kAlignment = 256;

EmulatorMemory::~EmulatorMemory() {
  for (const Buffer &buffer : buffers)
    munmap(buffer.mapping, buffer.mapped);
}

Result<void *> EmulatorMemory::allocate(size_t bytes, uint8_t fill) {
  size_t usable = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  size_t mapped = usable + 2 * kPageBytes;
  void *mapping =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (mapping == MAP_FAILED)
    return Error{"emulator: no memory for a buffer of " +
                 std::to_string(bytes) + " bytes"};
  auto *first = static_cast<std::byte *>(mapping);
  if (mprotect(first, kPageBytes, PROT_NONE) != 0 ||
      mprotect(first + mapped - kPageBytes, kPageBytes, PROT_NONE) != 0) {
    munmap(mapping, mapped);
    return Error{"emulator: the system has no more areas of memory for a "
                 "buffer of " +
                 std::to_string(bytes) + " bytes"};
  }
  // As near to the upper inaccessible page as the alignment allows.
  std::byte *begin =
      first + kPageBytes + (usable - bytes) / kAlignment * kAlignment;
  // New pages are zero, and take memory when they are written only.
  if (fill != 0)
    std::memset(begin, fill, bytes);
  buffers.push_back({begin, begin + bytes, mapping, mapped});
  return static_cast<void *>(begin);
}

Status EmulatorMemory::release(void *pointer) {
  auto found =
      std::find_if(buffers.begin(), buffers.end(),
                   [&](const Buffer &b) { return b.begin == pointer; });
  if (found == buffers.end())
    return Error{"emulator: release of a pointer that is not a buffer"};
  munmap(found->mapping, found->mapped);
  buffers.erase(found);
  return {};
}

static Error outside(const char *what, size_t bytes) {
  return Error{std::string("emulator: ") + what + " of " +
               std::to_string(bytes) + " bytes is not inside a buffer"};
}

Status EmulatorMemory::copyIn(void *device, const void *host, size_t bytes) {
  if (!find(device, bytes))
    return outside("copy to the device", bytes);
  if (bytes != 0) // An empty host buffer may be null, which memcpy may not get.
    std::memcpy(device, host, bytes);
  return {};
}

Status EmulatorMemory::copyOut(void *host, const void *device,
                               size_t bytes) const {
  if (!find(device, bytes))
    return outside("copy from the device", bytes);
  if (bytes != 0)
    std::memcpy(host, device, bytes);
  return {};
}

const EmulatorMemory::Buffer *EmulatorMemory::find(const void *pointer,
                                                   size_t bytes) const {
  auto *p = static_cast<const std::byte *>(pointer);
  for (const Buffer &buffer : buffers)
    if (p >= buffer.begin && p <= buffer.end && bytes <= size_t(buffer.end - p))
      return &buffer;
  return nullptr;
}

const EmulatorMemory::Buffer *
EmulatorMemory::nearest(const void *pointer) const {
  auto *p = static_cast<const std::byte *>(pointer);
  auto distance = [&](const Buffer &buffer) {
    return std::min(std::llabs(p - buffer.begin), std::llabs(p - buffer.end));
  };
  auto found = std::min_element(buffers.begin(), buffers.end(),
                                [&](const Buffer &a, const Buffer &b) {
                                  return distance(a) < distance(b);
                                });
  return found == buffers.end() ? nullptr : &*found;
}

} // namespace convmlir
