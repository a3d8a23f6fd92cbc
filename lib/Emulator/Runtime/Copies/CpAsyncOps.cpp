//===- CpAsyncOps.cpp - cp.async and its groups ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CpAsyncOps.h.
//
//===----------------------------------------------------------------------===//

#include "CpAsyncOps.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Memory/GlobalMemory.h"
#include "Runtime/Memory/SharedMemory.h"

namespace convmlir::emu {

static void checkCopy(Thread &thread, const CpAsyncSite &site,
                      const CpAsyncCopy &copy, uint32_t wantedBytes) {
  if (wantedBytes > copy.bytes)
    fault(thread, site, "reads %u bytes for a copy of %u", wantedBytes,
          copy.bytes);
  if (uintptr_t(copy.destination) % copy.bytes)
    fault(thread, site, "destination %p is not a multiple of %u",
          static_cast<void *>(copy.destination), copy.bytes);
  if (!copy.validBytes)
    return;
  if (uintptr_t(copy.source) % copy.bytes)
    fault(thread, site, "source %p is not a multiple of %u",
          static_cast<const void *>(copy.source), copy.bytes);
  checkGlobal(thread, site, copy.source, copy.validBytes, "copy source");
}

static void countCopy(Thread &thread, const CpAsyncSite &site,
                      const CpAsyncCopy &copy) {
  Worker &worker = *thread.worker;
  worker.counters.globalLoadBytes += copy.validBytes;
  if (!worker.options().countTraffic)
    return;
  TrafficLog &log = thread.warp->traffic;
  uint32_t live = thread.warp->live;
  if (copy.validBytes)
    log.record(TrafficKind::GlobalLoad, site.index, thread.lane,
               uint64_t(copy.source), copy.bytes, live, worker.counters);
  log.record(TrafficKind::Shared, site.index, thread.lane,
             uint64_t(copy.destination), copy.bytes, live, worker.counters);
}

static void moveData(const CpAsyncCopy &copy) {
  constexpr size_t whole = 16;
  if (copy.validBytes == whole) {
    std::memcpy(copy.destination, copy.source, whole);
    return;
  }
  std::memcpy(copy.destination, copy.source, copy.validBytes);
  std::memset(copy.destination + copy.validBytes, 0,
              copy.bytes - copy.validBytes);
}

static void land(Thread &thread, const CpAsyncCopy &copy) {
  moveData(copy);
  endAsyncWrite(thread, copy.destination, copy.bytes);
}

void copyAsync(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const CpAsyncSite &>(*base);
  uint32_t wanted =
      site.hasSourceBytes ? site.operand<uint32_t>(mailbox, 2) : site.bytes;
  CpAsyncCopy copy;
  copy.destination = site.operand<std::byte *>(mailbox, 0);
  copy.source = site.operand<const std::byte *>(mailbox, 1);
  copy.bytes = uint16_t(site.bytes);
  copy.validBytes = uint16_t(wanted);
  copy.site = &site;
  checkCopy(*thread, site, copy, wanted);
  beginAsyncWrite(*thread, site, copy.destination, copy.bytes, Proxy::Generic);
  countCopy(*thread, site, copy);
  if (thread->worker->options().asyncMode == AsyncMode::Early)
    land(*thread, copy);
  else
    thread->copies.add(copy);
}

void commitCopies(Thread *thread, const Site *, std::byte *) {
  thread->copies.commit();
}

void waitForCopies(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const CpAsyncWaitSite &>(*base);
  while (thread->copies.committedGroups() > site.pendingGroups)
    thread->copies.retireGroup(
        [&](const CpAsyncCopy &copy) { land(*thread, copy); });
}

static void land(const TrackedCopies &tracked) {
  Thread &thread = *tracked.thread;
  Worker &worker = *thread.worker;
  for (const CpAsyncCopy &copy : tracked.copies) {
    moveData(copy);
    endTrackedWrite(thread, copy.destination, copy.bytes, tracked.stamp);
  }
  Mbarrier *object = thread.cta->mbarriers.find(tracked.mbarrier);
  if (!object)
    fault(thread, *tracked.site,
          "the mbarrier at shared offset %u was invalidated before the copies "
          "were complete",
          tracked.mbarrier);
  if (worker.options().detectRaces)
    worker.cluster.clocks.join(tracked.clock, object->arriving);
  updateMbarrier(thread, *tracked.site, *object, 1, 0);
}

void trackCopies(Thread *thread, const Site *site, std::byte *mailbox) {
  Worker &worker = *thread->worker;
  worker.tracksCopies = true;
  TrackedCopies tracked;
  tracked.thread = thread;
  tracked.site = site;
  tracked.mbarrier =
      mbarrierAt(*thread, *site, site->operand<std::byte *>(mailbox, 0),
                 /*anyWorkgroup=*/false)
          .offset;
  tracked.copies = thread->copies.takeAll();
  if (worker.options().detectRaces) {
    tracked.stamp = worker.cluster.clocks.stamp(thread->slot);
    worker.cluster.clocks.release(thread->slot, tracked.clock);
  }
  if (worker.options().asyncMode == AsyncMode::Early)
    land(tracked);
  else
    worker.trackedCopies.push_back(std::move(tracked));
}

bool landTrackedCopies(Worker &worker) {
  std::deque<TrackedCopies> &all = worker.trackedCopies;
  if (all.empty())
    return false;
  size_t position = worker.options().seed ? worker.random() % all.size() : 0;
  TrackedCopies tracked = std::move(all[position]);
  all.erase(all.begin() + position);
  land(tracked);
  return true;
}

void checkCopiesWaitedFor(Thread &thread) {
  if (!thread.copies.empty())
    fault(thread, *thread.copies.front().site,
          "the thread ends with copies that it never waited for");
  if (thread.cta->liveThreads > 1)
    return;
  for (const TrackedCopies &tracked : thread.worker->trackedCopies)
    if (tracked.thread->cta == thread.cta)
      fault(*tracked.thread, *tracked.site,
            "the workgroup ends before these copies are complete");
}

} // namespace convmlir::emu
