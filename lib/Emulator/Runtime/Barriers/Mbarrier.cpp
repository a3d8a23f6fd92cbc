//===- Mbarrier.cpp - mbarrier objects ------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Mbarrier.h.
//
//===----------------------------------------------------------------------===//

#include "Mbarrier.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Machine/Scheduler.h"
#include "Runtime/Memory/SharedRaces.h"

namespace convmlir::emu {

static constexpr uint32_t kMbarrierBytes = 8;

static void checkInitialisationOrder(Thread &thread, const Site &site,
                                     const Mbarrier &object) {
  const Worker &worker = *thread.worker;
  if (worker.options().detectRaces &&
      !worker.cluster.clocks.ordered(thread.slot, object.initialised))
    raceFault(thread, site, "uses the mbarrier at", object.offset,
              "initialised", object.initialised);
}

Mbarrier &mbarrierAt(Thread &thread, const Site &site, const void *pointer,
                     bool anyWorkgroup) {
  SharedRange range =
      resolveShared(thread, site, pointer, kMbarrierBytes, "mbarrier access");
  if (range.offset % kMbarrierBytes)
    fault(thread, site, "mbarrier address %p is not a multiple of %u", pointer,
          kMbarrierBytes);
  if (!anyWorkgroup && &range.cta != thread.cta)
    fault(thread, site,
          "the mbarrier at shared offset %u is another workgroup's, which only "
          "an arrival in the shared::cluster space may name",
          range.offset);
  Mbarrier *object = range.cta.mbarriers.find(range.offset);
  if (!object)
    fault(thread, site, "there is no initialised mbarrier at shared offset %u",
          range.offset);
  checkInitialisationOrder(thread, site, *object);
  return *object;
}

static void completePhase(Worker &worker, Mbarrier &object) {
  ++object.phase;
  object.pending = object.expected;
  object.completed.swap(object.arriving);
  object.arriving.clear();
  worker.idleIterations = 0;
  for (Thread *waiter : object.waiters)
    wake(*waiter->warp, waiter->laneBit());
  object.waiters.clear();
}

void updateMbarrier(Thread &thread, const Site &site, Mbarrier &object,
                    uint32_t arrivals, int64_t transactions) {
  object.transactions += transactions;
  ++thread.worker->changes;
  if (std::abs(object.transactions) > int64_t(kMbarrierMaxCount))
    fault(thread, site,
          "the mbarrier at shared offset %u has a transaction count of %lld; "
          "%u is the largest",
          object.offset, static_cast<long long>(object.transactions),
          kMbarrierMaxCount);
  if (arrivals > object.pending)
    fault(thread, site,
          "the mbarrier at shared offset %u gets more arrivals in a phase than "
          "its count of %u",
          object.offset, object.expected);
  object.pending -= arrivals;
  if (object.pending == 0 && object.transactions == 0)
    completePhase(*thread.worker, object);
}

std::string describeMbarrier(const Mbarrier &object) {
  return "the mbarrier at shared offset " + std::to_string(object.offset) +
         ": in its phase of parity " + std::to_string(object.parity()) + ", " +
         std::to_string(object.pending) + " of " +
         std::to_string(object.expected) + " arrivals and " +
         std::to_string(object.transactions) + " bytes are missing";
}

} // namespace convmlir::emu
