//===- ClusterOps.cpp - workgroups of a cluster together ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ClusterOps.h.
//
//===----------------------------------------------------------------------===//

#include "ClusterOps.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Machine/Rendezvous.h"

namespace convmlir::emu {

/// `.aligned` ops meet at a rendezvous, which reports lanes that diverge.
static void align(Thread &thread, const ClusterBarrierSite &site) {
  if (site.aligned)
    rendezvous(thread, site, thread.warp->present, [](Warp &) {});
}

static void complete(Cluster &cluster) {
  ClusterBarrier &barrier = cluster.barrier;
  barrier.arrived = 0;
  ++barrier.phase;
  barrier.completed.swap(barrier.arriving);
  barrier.arriving.clear();
  for (Cta &cta : cluster.ctas)
    for (Thread &thread : cta.threads) {
      if (!thread.arrivedAtCluster)
        continue;
      thread.arrivedAtCluster = false;
      if (thread.waitsForCluster)
        wake(*thread.warp, thread.laneBit());
      thread.waitsForCluster = false;
    }
}

void arriveAtCluster(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const ClusterBarrierSite &>(*base);
  align(*thread, site);
  Cluster &cluster = thread->worker->cluster;
  if (thread->owesClusterWait)
    fault(*thread, site, "arrives again without a wait in between");
  thread->owesClusterWait = thread->arrivedAtCluster = true;
  bool releases = !site.relaxed || thread->fenced;
  thread->fenced = false;
  if (releases && thread->worker->options().detectRaces)
    cluster.clocks.release(thread->slot, cluster.barrier.arriving);
  if (++cluster.barrier.arrived == cluster.liveThreads)
    complete(cluster);
}

void waitForCluster(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const ClusterBarrierSite &>(*base);
  align(*thread, site);
  Cluster &cluster = thread->worker->cluster;
  if (!thread->owesClusterWait)
    fault(*thread, site, "waits without having arrived");
  thread->owesClusterWait = false;
  if (thread->arrivedAtCluster) {
    thread->waitsForCluster = true;
    block(*thread, site);
  }
  if (thread->worker->options().detectRaces)
    cluster.clocks.acquire(thread->slot, cluster.barrier.completed);
}

void leaveClusterBarrier(Thread &thread) {
  Cluster &cluster = thread.worker->cluster;
  if (thread.arrivedAtCluster)
    --cluster.barrier.arrived;
  thread.arrivedAtCluster = false;
  uint32_t left = cluster.liveThreads - 1;
  if (left && cluster.barrier.arrived == left)
    complete(cluster);
}

void mapToWorkgroup(Thread *thread, const Site *site, std::byte *mailbox) {
  Cluster &cluster = thread->worker->cluster;
  auto *pointer = site->operand<std::byte *>(mailbox, 0);
  auto rank = site->operand<uint32_t>(mailbox, 1);
  if (rank >= cluster.ctas.size())
    fault(*thread, *site, "workgroup %u of a cluster of %zu", rank,
          cluster.ctas.size());
  Cta *own = cluster.ctaOf(pointer);
  if (own != thread->cta)
    fault(*thread, *site, "%p is not in the workgroup's own shared memory",
          static_cast<void *>(pointer));
  site->setResult(mailbox, cluster.ctas[rank].shared + (pointer - own->shared));
}

} // namespace convmlir::emu
