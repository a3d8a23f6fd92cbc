//===- SharedMemory.h - checked accesses to shared memory -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access to shared memory passes one of these functions, which apply the
// rules of docs/Emulator.md to the shadow and fault when one is broken. None of
// them moves data.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_SHAREDMEMORY_H
#define CONV_LIB_EMULATOR_RUNTIME_SHAREDMEMORY_H

#include "Machine.h"

namespace convmlir::emu {

/// A generic read: the bytes must be written, not in flight, and ordered after
/// the write.
void checkSharedRead(Thread &thread, const Site &site, const void *pointer,
                     uint32_t bytes);

/// A generic write: the bytes must not be in flight, and ordered after earlier
/// accesses of other threads.
void checkSharedWrite(Thread &thread, const Site &site, const void *pointer,
                      uint32_t bytes);

/// An atomic update: the bytes must be written and not in flight. Atomic
/// updates need no order among each other.
void checkSharedAtomic(Thread &thread, const Site &site, const void *pointer,
                       uint32_t bytes);

/// A read of one 16-byte operand row of a tensor-core op. Returns the row, or,
/// if its bytes are invalid and the launch poisons, a row of NaNs.
const std::byte *readOperandRow(Thread &thread, const Site &site,
                                const std::byte *pointer);

/// An asynchronous copy to [pointer, pointer + bytes) was issued.
void beginAsyncWrite(Thread &thread, const Site &site, const void *pointer,
                     uint32_t bytes);

/// That copy has landed and is visible to `thread`.
void endAsyncWrite(Thread &thread, const void *pointer, uint32_t bytes);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_SHAREDMEMORY_H
