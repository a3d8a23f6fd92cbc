//===- GlobalMemory.cpp - checked accesses to global memory ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GlobalMemory.h.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"
#include "Runtime/Machine/Fault.h"

namespace convmlir::emu {

[[noreturn]] static void boundsFault(Thread &thread, const Site &site,
                                     const std::byte *pointer, uint64_t bytes,
                                     const char *verb) {
  auto size = static_cast<unsigned long long>(bytes);
  const EmulatorMemory::Buffer *near =
      thread.worker->launch->memory->nearest(pointer);
  if (uintptr_t(pointer) < 4096 || !near)
    fault(thread, site, "%s of %llu bytes at address %p, which is no buffer",
          verb, size, static_cast<const void *>(pointer));
  fault(
      thread, site,
      "out-of-bounds global %s of %llu bytes at address %p: byte %+lld of the "
      "nearest buffer, which has %lld bytes",
      verb, size, static_cast<const void *>(pointer),
      static_cast<long long>(pointer - near->begin),
      static_cast<long long>(near->end - near->begin));
}

void checkWaited(Thread &thread, const Site &site) {
  if (!thread.mayAccessGlobal)
    fault(thread, site,
          "global memory is accessed before the thread has waited for the "
          "kernels in front (griddepcontrol.wait)");
}

void checkGlobal(Thread &thread, const Site &site, const void *pointer,
                 uint64_t bytes, const char *verb) {
  checkWaited(thread, site);
  auto *p = static_cast<const std::byte *>(pointer);
  const EmulatorMemory::Buffer &last = thread.lastBuffer;
  if (p >= last.begin && p < last.end && bytes <= size_t(last.end - p))
    return;
  const EmulatorMemory::Buffer *buffer =
      thread.worker->launch->memory->find(p, bytes);
  if (!buffer)
    boundsFault(thread, site, p, bytes, verb);
  thread.lastBuffer = *buffer;
}

} // namespace convmlir::emu
