//===- BulkStores.h - bulk copies from shared memory ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk.tensor from shared to global memory, and the groups of bulk
// copies. The data are read at the wait of the issuing thread (late) or at once
// (early); until then nobody may write them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_COPIES_BULKSTORES_H
#define CONV_LIB_EMULATOR_RUNTIME_COPIES_BULKSTORES_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// Operands: tensor map, shared source, i32 coordinates, and with
/// `hasPredicate` an i1.
struct BulkStoreSite : Site {
  unsigned rank = 0;
  bool isIm2col = false;
  bool hasPredicate = false;
};

struct BulkWaitSite : Site {
  /// Groups that may remain incomplete.
  uint32_t pendingGroups = 0;
};

void storeBulk(Thread *thread, const Site *site, std::byte *mailbox);
void commitBulk(Thread *thread, const Site *site, std::byte *mailbox);
void waitForBulk(Thread *thread, const Site *site, std::byte *mailbox);

/// Faults if the thread ends with stores that it never waited for.
void checkStoresWaitedFor(Thread &thread);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_COPIES_BULKSTORES_H
