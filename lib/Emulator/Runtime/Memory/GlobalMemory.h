//===- GlobalMemory.h - checked accesses to global memory -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access to global memory passes checkGlobal, which faults when the
// access is not wholly inside one buffer or not aligned to its size.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MEMORY_GLOBALMEMORY_H
#define CONV_LIB_EMULATOR_RUNTIME_MEMORY_GLOBALMEMORY_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// That the thread has waited for the kernels in front, if it must.
void checkWaited(Thread &thread, const Site &site);

/// `verb` names the access in the message: "load", "store", "copy source".
void checkGlobal(Thread &thread, const Site &site, const void *pointer,
                 uint64_t bytes, const char *verb);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MEMORY_GLOBALMEMORY_H
