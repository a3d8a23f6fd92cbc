//===- MemoryOps.cpp - plain loads and stores, loop guards ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MemoryOps.h.
//
//===----------------------------------------------------------------------===//

#include "MemoryOps.h"
#include "GlobalMemory.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Machine/Scheduler.h"
#include "SharedMemory.h"

#include <algorithm>

namespace convmlir::emu {

static void checkAlignment(Thread &thread, const AccessSite &site,
                           const std::byte *pointer) {
  if (uintptr_t(pointer) % site.alignment)
    fault(thread, site, "address %p is not a multiple of %u",
          static_cast<const void *>(pointer), site.alignment);
}

/// A pointer to the shared memory of the own workgroup must not reach another's
/// window.
static void checkWindow(Thread &thread, const AccessSite &site,
                        const std::byte *pointer) {
  Cta *cta = thread.worker->cluster.ctaOf(pointer);
  if (site.addressSpace == kSharedSpace && cta && cta != thread.cta)
    fault(thread, site,
          "address %p of the shared space is in another workgroup's memory",
          static_cast<const void *>(pointer));
}

/// No memory of a workgroup has as many bytes as the largest such number.
static uint32_t clampBytes(uint64_t bytes) {
  return uint32_t(std::min<uint64_t>(bytes, UINT32_MAX));
}

static void accessShared(Thread &thread, const AccessSite &site,
                         const std::byte *pointer, uint64_t bytes) {
  checkWindow(thread, site, pointer);
  uint32_t size = clampBytes(bytes);
  if (site.isAtomic)
    checkSharedAtomic(thread, site, pointer, size);
  else if (site.isStore)
    checkSharedWrite(thread, site, pointer, size);
  else
    checkSharedRead(thread, site, pointer, size);
  checkAlignment(thread, site, pointer);
  Worker &worker = *thread.worker;
  if (worker.options().countTraffic)
    thread.warp->traffic.record(TrafficKind::Shared, site.index, thread.lane,
                                uint64_t(pointer), size, thread.warp->live,
                                worker.counters);
}

static void accessGlobal(Thread &thread, const AccessSite &site,
                         const std::byte *pointer, uint64_t bytes) {
  uint32_t size = clampBytes(bytes);
  checkGlobal(thread, site, pointer, bytes, site.isStore ? "store" : "load");
  checkAlignment(thread, site, pointer);
  Worker &worker = *thread.worker;
  EmulatorCounters &counters = worker.counters;
  (site.isStore ? counters.globalStoreBytes : counters.globalLoadBytes) +=
      bytes;
  if (worker.options().countTraffic)
    thread.warp->traffic.record(site.isStore ? TrafficKind::GlobalStore
                                             : TrafficKind::GlobalLoad,
                                site.index, thread.lane, uint64_t(pointer),
                                size, thread.warp->live, counters);
}

void checkAccess(Thread *thread, const AccessSite *site, std::byte *pointer,
                 uint64_t bytes) {
  Cluster &cluster = thread->worker->cluster;
  thread->worker->changes += site->isStore;
  bool isShared =
      site->addressSpace == kSharedSpace ||
      site->addressSpace == kClusterSpace ||
      (site->addressSpace == kGenericSpace && cluster.ctaOf(pointer));
  if (isShared)
    return accessShared(*thread, *site, pointer, bytes);
  accessGlobal(*thread, *site, pointer, bytes);
}

} // namespace convmlir::emu

void emuGuardLoopAt(convmlir::emu::Thread *thread,
                    const convmlir::emu::Site *site, const void *registers) {
  using namespace convmlir::emu;
  thread->loopBudget = kLoopBudget;
  // Looking at its state costs a thread some percent of its time.
  constexpr uint64_t manyIterations = uint64_t(1) << 20;
  if (thread->worker->idleIterations > manyIterations &&
      runsInCircles(*thread, registers))
    fault(*thread, *site,
          "livelock: no thread does anything new, and this loop never ends");
  poll(*thread, *site);
}
