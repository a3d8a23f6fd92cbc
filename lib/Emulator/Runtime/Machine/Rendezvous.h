//===- Rendezvous.h - collectives of a warp ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that reach a collective op wait until all lanes of its mask have; the
// last one does the work for everybody and goes on.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_RENDEZVOUS_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_RENDEZVOUS_H

#include "Machine.h"
#include "Scheduler.h"

namespace convmlir::emu {

/// Notes that `thread` has reached the collective `site` of the lanes `mask`.
/// Returns true for the last lane; the others must block. Faults when the lanes
/// disagree, or one of the mask does not exist or has exited.
bool joinRendezvous(Thread &thread, const Site &site, uint32_t mask);

/// Faults if the thread, which is about to exit, is waited for in a collective.
void checkExitOutsideRendezvous(Thread &thread);

/// A whole collective: `execute(warp)` runs once, when all operands are in the
/// mailboxes, and leaves the results there.
template <typename Execute>
void rendezvous(Thread &thread, const Site &site, uint32_t mask,
                Execute execute) {
  if (!joinRendezvous(thread, site, mask))
    return block(thread, site);
  execute(*thread.warp);
  wake(*thread.warp, mask & ~thread.laneBit());
}

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_RENDEZVOUS_H
