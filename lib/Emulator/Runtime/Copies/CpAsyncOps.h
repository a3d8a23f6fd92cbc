//===- CpAsyncOps.h - cp.async and its groups -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of 4, 8 or 16 bytes from global to shared memory. The data land at the
// wait of the issuing thread (late) or at once (early); other threads may read
// them only after a barrier that follows that wait. Those that an mbarrier
// tracks land, late, when no thread can run.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_COPIES_CPASYNCOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_COPIES_CPASYNCOPS_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// Operands: shared destination, global source, and with `hasSourceBytes` an
/// i32 number of bytes to read; the rest of the destination is zero-filled.
struct CpAsyncSite : Site {
  uint32_t bytes = 0;
  bool hasSourceBytes = false;
};

struct CpAsyncWaitSite : Site {
  /// Groups that may remain incomplete.
  uint32_t pendingGroups = 0;
};

void copyAsync(Thread *thread, const Site *site, std::byte *mailbox);
void commitCopies(Thread *thread, const Site *site, std::byte *mailbox);
void waitForCopies(Thread *thread, const Site *site, std::byte *mailbox);

/// Operand: the address of an mbarrier, which gets an arrival when the copies
/// that the thread has issued so far have landed (cp.async.mbarrier.arrive with
/// noinc).
void trackCopies(Thread *thread, const Site *site, std::byte *mailbox);

/// Lets the copies land for which an mbarrier waits on behalf of one thread.
/// Returns whether there were any.
bool landTrackedCopies(Worker &worker);

/// Faults if the thread ends with copies that it never waited for.
void checkCopiesWaitedFor(Thread &thread);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_COPIES_CPASYNCOPS_H
