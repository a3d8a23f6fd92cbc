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

#ifndef CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDMEMORY_H
#define CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDMEMORY_H

#include "SharedRange.h"

namespace convmlir::emu {

/// How memory is accessed: loads, stores, ldmatrix and cp.async, or bulk copies
/// and wgmma. What one wrote is visible to the other after a fence.proxy.async.
enum class Proxy { Generic, Async };

/// A generic read: the bytes must be written, not in flight, and ordered after
/// the write.
void checkSharedRead(Thread &thread, const Site &site, const void *pointer,
                     uint32_t bytes);

/// A generic write: the bytes must not be in flight, nor be read by something
/// asynchronous, and ordered after earlier accesses of other threads.
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

/// An asynchronous copy to [pointer, pointer + bytes) was issued, which writes
/// through the given proxy.
void beginAsyncWrite(Thread &thread, const Site &site, const void *pointer,
                     uint32_t bytes, Proxy proxy);

/// A cp.async has landed and is visible to `thread`.
void endAsyncWrite(Thread &thread, const void *pointer, uint32_t bytes);

/// A cp.async that an mbarrier tracks has landed; who acquires the mbarrier
/// knows of the stamp's access. For the async proxy they must fence then.
void endTrackedWrite(Thread &thread, const void *pointer, uint32_t bytes,
                     AccessStamp stamp);

/// A bulk copy has landed; who acquires its mbarrier may read the bytes.
void endBulkWrite(Worker &worker, const void *pointer, uint32_t bytes);

/// Why bytes of a granule must not be read through a proxy now, or null.
const char *invalidReason(const SharedShadow::Granule &granule, uint16_t mask,
                          Proxy proxy);

/// Counts a read of invalid bytes that goes on with NaN.
void notePoisonedRead(Thread &thread, const Site &site, uint32_t offset,
                      const char *reason);

/// What such a read yields: a row of NaNs.
const std::byte *nanRow();

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDMEMORY_H
