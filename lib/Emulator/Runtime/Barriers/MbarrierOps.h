//===- MbarrierOps.h - operations on mbarrier objects -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarrier.init, .inval, the arrivals, and the waits. A wait blocks the fiber;
// it does not spin.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_BARRIERS_MBARRIEROPS_H
#define CONV_LIB_EMULATOR_RUNTIME_BARRIERS_MBARRIEROPS_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// Operands: address, i32 count, and with `hasPredicate` an i1.
struct MbarrierInitSite : Site {
  bool hasPredicate = false;
};

/// arrive, arrive_drop, their forms with expect_tx, expect_tx and complete_tx.
/// Operands: address; with `hasOperand` an i32, which is the count of arrivals,
/// or with a sign of transactions that number of bytes; with `hasPredicate` an
/// i1. Result: the i64 token of the phase.
struct MbarrierUpdateSite : Site {
  bool arrives = true;
  bool drops = false;
  /// The program promises that the phase does not complete.
  bool noComplete = false;
  int transactionSign = 0;
  bool hasOperand = false;
  bool hasPredicate = false;
  bool hasResult = false;
  /// The address is in the shared::cluster space.
  bool anyWorkgroup = false;
};

/// Operands: address; an i64 token or i32 parity. Result, unless `loops`: i1.
struct MbarrierWaitSite : Site {
  enum class Kind { Test, Try, Loop };
  Kind kind = Kind::Test;
  bool byToken = false;

  std::string describeWait(const Thread &thread) const override;
};

void initMbarrier(Thread *thread, const Site *site, std::byte *mailbox);
void invalidateMbarrier(Thread *thread, const Site *site, std::byte *mailbox);
void arriveAtMbarrier(Thread *thread, const Site *site, std::byte *mailbox);
void waitForMbarrier(Thread *thread, const Site *site, std::byte *mailbox);

/// Lets the try_wait of the cluster's threads time out, once nobody can run.
/// Returns whether there was any that may.
bool timeOutWaits(Worker &worker);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_BARRIERS_MBARRIEROPS_H
