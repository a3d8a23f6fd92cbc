//===- MbarrierOps.cpp - operations on mbarrier objects -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MbarrierOps.h.
//
//===----------------------------------------------------------------------===//

#include "MbarrierOps.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Machine/Scheduler.h"
#include "Runtime/Memory/SharedMemory.h"

namespace convmlir::emu {

//===----------------------------------------------------------------------===//
// Initialisation
//===----------------------------------------------------------------------===//

static constexpr uint32_t kMbarrierBytes = 8;

/// The bit of SharedShadow::Granule::mbarriers for an offset.
static uint8_t halfBit(uint32_t offset) {
  return offset % kGranuleBytes ? 2 : 1;
}

void initMbarrier(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const MbarrierInitSite &>(*base);
  if (site.hasPredicate && !site.operand<bool>(mailbox, 2))
    return;
  auto *pointer = site.operand<std::byte *>(mailbox, 0);
  auto count = site.operand<uint32_t>(mailbox, 1);
  if (uintptr_t(pointer) % kMbarrierBytes)
    fault(*thread, site, "mbarrier address %p is not a multiple of %u",
          static_cast<void *>(pointer), kMbarrierBytes);
  if (count == 0 || count > kMbarrierMaxCount)
    fault(*thread, site, "a count of %u; 1 to %u are possible", count,
          kMbarrierMaxCount);
  // The word is written like any other; an object that is there already, or
  // bytes that a copy is writing, are faults.
  checkSharedWrite(*thread, site, pointer, kMbarrierBytes);
  Cta &cta = *thread->cta;
  auto offset = uint32_t(pointer - cta.shared);
  if (offset >= cta.sharedBytes)
    fault(*thread, site, "the address is in another workgroup");
  cta.shadow.granule(offset / kGranuleBytes).mbarriers |= halfBit(offset);
  Mbarrier &object = cta.mbarriers.at(offset);
  object = Mbarrier();
  object.rank = cta.rank;
  object.offset = offset;
  object.valid = true;
  object.expected = object.pending = count;
  if (thread->worker->options().detectRaces)
    object.initialised = thread->worker->cluster.clocks.stamp(thread->slot);
  thread->unfencedBarriers.push_back(&object);
}

void invalidateMbarrier(Thread *thread, const Site *site, std::byte *mailbox) {
  Mbarrier &object =
      mbarrierAt(*thread, *site, site->operand<std::byte *>(mailbox, 0),
                 /*anyWorkgroup=*/false);
  if (!object.waiters.empty())
    fault(*thread, *site,
          "threads still wait for the mbarrier at shared offset %u",
          object.offset);
  object.valid = false;
  auto &granule = thread->cta->shadow.granule(object.offset / kGranuleBytes);
  granule.mbarriers &= ~halfBit(object.offset);
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

/// The effect of an op on the counts, from its second operand.
static void update(Thread &thread, const MbarrierUpdateSite &site,
                   Mbarrier &object, uint32_t operand) {
  uint32_t arrivals = site.arrives;
  if (site.arrives && site.hasOperand && site.transactionSign == 0)
    arrivals = operand;
  if (site.arrives && arrivals == 0)
    fault(thread, site, "arrives with a count of 0");
  if (site.noComplete && arrivals >= object.pending)
    fault(thread, site,
          "completes a phase of the mbarrier at shared offset %u, which "
          ".noComplete excludes",
          object.offset);
  if (site.drops && arrivals > object.expected)
    fault(thread, site, "drops %u arrivals of %u", arrivals, object.expected);
  if (site.drops)
    object.expected -= arrivals;
  if (site.arrives && thread.worker->options().detectRaces)
    thread.worker->cluster.clocks.release(thread.slot, object.arriving);
  updateMbarrier(thread, site, object, arrivals,
                 site.transactionSign * int64_t(operand));
}

void arriveAtMbarrier(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const MbarrierUpdateSite &>(*base);
  if (site.hasPredicate && !site.operand<bool>(mailbox, 1 + site.hasOperand))
    return;
  Mbarrier &object = mbarrierAt(
      *thread, site, site.operand<std::byte *>(mailbox, 0), site.anyWorkgroup);
  uint64_t token = object.phase;
  update(*thread, site, object,
         site.hasOperand ? site.operand<uint32_t>(mailbox, 1) : 0);
  if (site.hasResult)
    site.setResult(mailbox, token);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

std::string MbarrierWaitSite::describeWait(const Thread &thread) const {
  if (!thread.awaited)
    return {};
  return "for " + describeMbarrier(*thread.awaited);
}

/// Whether the phase that the second operand names is complete.
static bool isComplete(Thread &thread, const MbarrierWaitSite &site,
                       const Mbarrier &object, const std::byte *mailbox) {
  if (!site.byToken)
    return (site.operand<uint32_t>(mailbox, 1) & 1) != object.parity();
  auto token = site.operand<uint64_t>(mailbox, 1);
  if (token != object.phase && token + 1 != object.phase)
    fault(thread, site,
          "the token is not of the current phase of the mbarrier at shared "
          "offset %u, nor of the one before",
          object.offset);
  return token != object.phase;
}

/// Blocks until the current phase completes; false if the wait timed out.
static bool blockForPhase(Thread &thread, const MbarrierWaitSite &site,
                          Mbarrier &object) {
  object.waiters.push_back(&thread);
  thread.awaited = &object;
  thread.mayTimeOut = site.kind == MbarrierWaitSite::Kind::Try;
  thread.timedOut = false;
  block(thread, site);
  thread.awaited = nullptr;
  return !thread.timedOut;
}

void waitForMbarrier(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const MbarrierWaitSite &>(*base);
  Mbarrier &object =
      mbarrierAt(*thread, site, site.operand<std::byte *>(mailbox, 0),
                 /*anyWorkgroup=*/false);
  bool complete = isComplete(*thread, site, object, mailbox);
  if (!complete && site.kind == MbarrierWaitSite::Kind::Test)
    poll(*thread, site);
  else if (!complete)
    complete = blockForPhase(*thread, site, object);
  if (complete && thread->worker->options().detectRaces)
    thread->worker->cluster.clocks.acquire(thread->slot, object.completed);
  if (site.kind != MbarrierWaitSite::Kind::Loop)
    site.setResult(mailbox, complete);
}

bool timeOutWaits(Worker &worker) {
  bool any = false;
  for (Cta &cta : worker.cluster.ctas)
    for (Thread &thread : cta.threads) {
      if (!thread.awaited || !thread.mayTimeOut || thread.timedOut)
        continue;
      std::erase(thread.awaited->waiters, &thread);
      thread.timedOut = any = true;
      makeReady(thread);
    }
  return any;
}

} // namespace convmlir::emu
