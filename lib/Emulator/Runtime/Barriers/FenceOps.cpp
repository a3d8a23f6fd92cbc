//===- FenceOps.cpp - fences between proxies ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FenceOps.h.
//
//===----------------------------------------------------------------------===//

#include "FenceOps.h"

namespace convmlir::emu {

void waitForGrids(Thread *thread, const Site *, std::byte *) {
  thread->mayAccessGlobal = true;
}

void fenceMemory(Thread *thread, const Site *, std::byte *) {
  thread->fenced = true;
}

void fenceMbarrierInit(Thread *thread, const Site *, std::byte *) {
  thread->fenced = true;
  for (Mbarrier *object : thread->unfencedBarriers)
    object->fenced = true;
  thread->unfencedBarriers.clear();
}

void fenceAsyncProxy(Thread *thread, const Site *site, std::byte *mailbox) {
  fenceMbarrierInit(thread, site, mailbox);
  auto writer = uint16_t(thread->slot + 1);
  std::vector<Cta> &ctas = thread->worker->cluster.ctas;
  for (GranuleId id : thread->unfencedGranules) {
    SharedShadow::Granule &granule = ctas[id.rank].shadow.granule(id.index);
    // Another thread that wrote to the granule since must fence it itself.
    if (granule.unfencedBy == writer)
      granule.unfencedBy = 0;
  }
  thread->unfencedGranules.clear();
  const Worker &worker = *thread->worker;
  if (worker.tracksCopies && worker.options().detectRaces)
    thread->fencedClock = worker.cluster.clocks.getKnown(thread->slot);
}

} // namespace convmlir::emu
