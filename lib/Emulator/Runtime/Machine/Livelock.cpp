//===- Livelock.cpp - threads that run in circles -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Livelock.h.
//
//===----------------------------------------------------------------------===//

#include "Livelock.h"
#include "Machine.h"

#include <cstring>

namespace convmlir::emu {

static uint64_t mix(uint64_t hash, const std::byte *begin,
                    const std::byte *end) {
  for (; end - begin >= ptrdiff_t(sizeof(uint64_t));
       begin += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, begin, sizeof word);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

/// The thread's registers, variables and operands: all that the next steps
/// depend on, beside memory.
static uint64_t hashState(const Thread &thread, const void *state) {
  const Worker &worker = *thread.worker;
  uint64_t hash = mix(0, static_cast<const std::byte *>(state),
                      worker.cluster.stacks.endOf(thread.slot));
  return mix(hash, thread.mailbox,
             thread.mailbox + worker.launch->mailboxBytes);
}

static bool findCycle(Thread &thread, const void *stack) {
  StateCycle &cycle = thread.cycle;
  uint64_t state = hashState(thread, stack), changes = thread.worker->changes;
  bool found = state == cycle.kept && changes == cycle.changes;
  if (++cycle.steps >= cycle.stepsToKeep || changes != cycle.changes) {
    bool restarts = changes != cycle.changes;
    cycle.stepsToKeep = restarts ? 1 : 2 * cycle.stepsToKeep;
    cycle.steps = 0;
    cycle.kept = state;
    cycle.changes = changes;
  }
  return found;
}

/// Whether a thread that is not the one that asks does nothing new.
static bool isStuck(const Thread &thread) {
  if (thread.exited || thread.cycle.foundAt == thread.worker->changes)
    return true;
  bool isReady = thread.warp->ready & thread.laneBit();
  // Time passes, too.
  return !isReady && !(thread.awaited && thread.mayTimeOut);
}

bool runsInCircles(Thread &thread, const void *state) {
  if (!findCycle(thread, state))
    return false;
  Worker &worker = *thread.worker;
  thread.cycle.foundAt = worker.changes;
  if (!worker.bulkLoads.empty() || !worker.trackedCopies.empty())
    return false;
  for (const Cta &cta : worker.cluster.ctas)
    for (const Thread &other : cta.threads)
      if (!isStuck(other))
        return false;
  return true;
}

} // namespace convmlir::emu
