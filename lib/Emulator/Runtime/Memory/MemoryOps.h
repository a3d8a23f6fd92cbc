//===- MemoryOps.h - plain loads and stores, loop guards --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the instrumentation of the translated code calls before each access to
// memory that is not a thread's own, and in each loop.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MEMORY_MEMORYOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MEMORY_MEMORYOPS_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// Address spaces of LLVM's NVPTX target.
enum AddressSpace : unsigned {
  kGenericSpace = 0,
  kGlobalSpace = 1,
  kSharedSpace = 3,
  kConstantSpace = 4,
  kClusterSpace = 7,
};

struct AccessSite : Site {
  unsigned addressSpace = kGenericSpace;
  /// The alignment that the program promises, in bytes.
  uint32_t alignment = 1;
  bool isStore = false;
  /// Atomic accesses of several threads do not race.
  bool isAtomic = false;
};

/// Called before an access of `bytes` bytes at `pointer`.
void checkAccess(Thread *thread, const AccessSite *site, std::byte *pointer,
                 uint64_t bytes);

} // namespace convmlir::emu

extern "C" {
/// Called when the thread's loop budget is used up; see poll().
void emuGuardLoop(convmlir::emu::Thread *thread,
                  const convmlir::emu::Site *site);
/// What it calls: `registers` and all above it on the thread's stack are what
/// the loop computes with.
void emuGuardLoopAt(convmlir::emu::Thread *thread,
                    const convmlir::emu::Site *site, const void *registers);
}

#endif // CONV_LIB_EMULATOR_RUNTIME_MEMORY_MEMORYOPS_H
