//===- ClusterSetup.cpp - readying a cluster to run -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ClusterSetup.h.
//
//===----------------------------------------------------------------------===//

#include "ClusterSetup.h"
#include "Fault.h"
#include "Rendezvous.h"
#include "Runtime/Barriers/ClusterOps.h"
#include "Runtime/Copies/BulkStores.h"
#include "Runtime/Copies/CpAsyncOps.h"
#include "Runtime/Matrices/WgmmaOps.h"
#include "Runtime/Memory/MemoryOps.h"
#include "Scheduler.h"

#include <cstring>

namespace convmlir::emu {

using Extents = std::array<uint32_t, 3>;

static uint32_t volume(const Extents &extents) {
  return extents[0] * extents[1] * extents[2];
}

/// The x, y, z position of element `index` of a box.
static Extents position(uint64_t index, const Extents &extents) {
  return {uint32_t(index % extents[0]),
          uint32_t(index / extents[0] % extents[1]),
          uint32_t(index / extents[0] / extents[1])};
}

static void assign(uint32_t (&to)[3], const Extents &from) {
  std::copy(from.begin(), from.end(), to);
}

/// What a fiber runs: the kernel, then the checks at the end of a thread.
static void threadMain(void *argument) {
  Thread &thread = *static_cast<Thread *>(argument);
  const LaunchContext &launch = *thread.worker->launch;
  launch.entry(&thread, launch.arguments);
  checkExitOutsideRendezvous(thread);
  checkCopiesWaitedFor(thread);
  checkStoresWaitedFor(thread);
  checkWgmmaWaitedFor(thread);
  checkLoadsLanded(thread);
  leaveClusterBarrier(thread);
  exitThread(thread);
}

//===----------------------------------------------------------------------===//
// Once per worker
//===----------------------------------------------------------------------===//

static void setLaneRegisters(SpecialRegisters &r, uint32_t lane,
                             uint32_t warp) {
  r.laneid = lane;
  r.warpid = warp;
  r.lanemaskEq = 1u << lane;
  r.lanemaskLt = r.lanemaskEq - 1;
  r.lanemaskLe = r.lanemaskEq | r.lanemaskLt;
  r.lanemaskGt = ~r.lanemaskLe;
  r.lanemaskGe = ~r.lanemaskLt;
}

static void setLaunchRegisters(SpecialRegisters &r,
                               const LaunchContext &launch) {
  const LaunchGeometry &geometry = launch.geometry;
  assign(r.ntid, geometry.block);
  assign(r.nctaid, geometry.grid);
  assign(r.clusterNctaid, geometry.cluster);
  for (unsigned i = 0; i < 3; ++i)
    r.nclusterid[i] = geometry.grid[i] / geometry.cluster[i];
  r.clusterNctarank = volume(geometry.cluster);
  r.nwarpid = (volume(geometry.block) + kWarpSize - 1) / kWarpSize;
  r.warpSize = kWarpSize;
  r.smid = 0;
  r.nsmid = 1;
  r.gridid = 0;
  r.totalSharedBytes = launch.sharedBytes;
  r.dynamicSharedBytes = geometry.dynamicSharedBytes;
}

static void buildThread(Cta &cta, uint32_t linear) {
  Thread &thread = cta.threads[linear];
  Warp &warp = cta.warps[linear / kWarpSize];
  const LaunchContext &launch = *cta.worker->launch;
  thread.worker = cta.worker;
  thread.cta = &cta;
  thread.warp = &warp;
  thread.warpgroup = &cta.warpgroups[linear / kWarpgroupSize];
  thread.linear = linear;
  thread.slot = cta.rank * cta.threads.size() + linear;
  thread.lane = linear % kWarpSize;
  thread.shared = cta.shared;
  warp.lanes[thread.lane] = &thread;
  warp.present |= thread.laneBit();
  thread.mailbox = warp.mailbox(thread.lane);
  SpecialRegisters &r = thread.registers;
  setLaunchRegisters(r, launch);
  setLaneRegisters(r, thread.lane, warp.index);
  assign(r.tid, position(linear, launch.geometry.block));
  assign(r.clusterCtaid, position(cta.rank, launch.geometry.cluster));
  r.clusterCtarank = cta.rank;
}

static uint32_t warpgroupCount(uint32_t threads) {
  return (threads + kWarpgroupSize - 1) / kWarpgroupSize;
}

static void buildCta(Worker &worker, unsigned rank, std::byte *mailboxes) {
  Cta &cta = worker.cluster.ctas[rank];
  const LaunchContext &launch = *worker.launch;
  uint32_t threads = volume(launch.geometry.block);
  cta.rank = rank;
  cta.worker = &worker;
  cta.shared = worker.cluster.arena.window(rank);
  cta.sharedBytes = launch.sharedBytes;
  cta.threads = std::vector<Thread>(threads);
  cta.warpgroups = std::vector<Warpgroup>(warpgroupCount(threads));
  cta.warps = std::vector<Warp>((threads + kWarpSize - 1) / kWarpSize);
  for (unsigned i = 0; i < cta.warps.size(); ++i) {
    cta.warps[i].cta = &cta;
    cta.warps[i].index = i;
    cta.warps[i].mailboxes =
        mailboxes + size_t(i) * kWarpSize * launch.mailboxBytes;
  }
  for (uint32_t i = 0; i < threads; ++i)
    buildThread(cta, i);
}

Status buildCluster(Worker &worker) {
  Cluster &cluster = worker.cluster;
  const LaunchContext &launch = *worker.launch;
  uint32_t ctas = volume(launch.geometry.cluster);
  uint32_t threads = volume(launch.geometry.block);
  if (Status status = cluster.arena.reserve(ctas); !status)
    return status;
  if (Status status = cluster.stacks.reserve(size_t(ctas) * threads); !status)
    return status;
  size_t warps = (threads + kWarpSize - 1) / kWarpSize;
  size_t ctaBytes = warps * kWarpSize * launch.mailboxBytes;
  constexpr size_t alignment = 64;
  cluster.mailboxStorage.resize(ctas * ctaBytes + alignment);
  auto address = uintptr_t(cluster.mailboxStorage.data());
  std::byte *mailboxes =
      cluster.mailboxStorage.data() + (-address & (alignment - 1));
  cluster.ctas = std::vector<Cta>(ctas);
  for (unsigned rank = 0; rank < ctas; ++rank)
    buildCta(worker, rank, mailboxes + rank * ctaBytes);
  return {};
}

//===----------------------------------------------------------------------===//
// Once per cluster of the grid
//===----------------------------------------------------------------------===//

static void resetThread(Thread &thread, const Extents &clusterPosition) {
  const LaunchGeometry &geometry = thread.worker->launch->geometry;
  SpecialRegisters &r = thread.registers;
  assign(r.clusterid, clusterPosition);
  for (unsigned i = 0; i < 3; ++i)
    r.ctaid[i] = clusterPosition[i] * geometry.cluster[i] + r.clusterCtaid[i];
  thread.loopBudget = kLoopBudget;
  thread.exited = false;
  thread.blockedAt = nullptr;
  thread.copies.clear();
  thread.bulkStores.clear();
  thread.wgmmaSteps = 0;
  thread.unfencedGranules.clear();
  thread.unfencedBarriers.clear();
  thread.fencedClock.clear();
  thread.awaited = nullptr;
  thread.cycle = StateCycle();
  thread.arrivedAtCluster = thread.owesClusterWait = false;
  thread.waitsForCluster = thread.fenced = false;
  thread.mayAccessGlobal = !geometry.waits;
  thread.stackPointer =
      thread.worker->cluster.stacks.prepare(thread.slot, threadMain, &thread);
}

static void resetWarp(Warp &warp) {
  Worker &worker = *warp.cta->worker;
  warp.live = warp.ready = warp.present;
  warp.nextLane = 0;
  warp.pendingCount = 0;
  warp.registers = worker.launch->registersPerThread;
  if (worker.options().countTraffic)
    warp.traffic.reset(worker.launch->siteCount);
  warp.queued = true;
  worker.queue.push(&warp);
}

static void resetWarpgroup(Cta &cta, unsigned index) {
  Warpgroup &group = cta.warpgroups[index];
  group = Warpgroup();
  group.cta = &cta;
  group.index = index;
  group.slot = cta.worker->cluster.bulkSlot() + 1 +
               cta.rank * cta.warpgroups.size() + index;
}

static void resetCta(Cta &cta, const Extents &clusterPosition) {
  // Uninitialised shared memory reads as NaN even where nothing checks it.
  std::memset(cta.shared, 0xFF, cta.sharedBytes);
  cta.shadow.reset(cta.sharedBytes, cta.worker->options().detectRaces);
  for (NamedBarrier &barrier : cta.barriers)
    barrier = NamedBarrier();
  cta.mbarriers.clear();
  cta.registers = RegisterPool();
  cta.liveThreads = cta.threads.size();
  for (unsigned i = 0; i < cta.warpgroups.size(); ++i)
    resetWarpgroup(cta, i);
  for (Thread &thread : cta.threads)
    resetThread(thread, clusterPosition);
  for (Warp &warp : cta.warps)
    resetWarp(warp);
}

/// Clock slots besides the threads: one for bulk copies, and one for the wgmma
/// of each warpgroup.
static uint32_t engineCount(const Cluster &cluster) {
  return 1 + cluster.ctas.size() * cluster.ctas[0].warpgroups.size();
}

void resetCluster(Worker &worker, uint64_t index) {
  Cluster &cluster = worker.cluster;
  const LaunchGeometry &geometry = worker.launch->geometry;
  Extents clusters;
  for (unsigned i = 0; i < 3; ++i)
    clusters[i] = geometry.grid[i] / geometry.cluster[i];
  size_t warps = cluster.ctas.size() * cluster.ctas[0].warps.size();
  cluster.liveThreads = cluster.ctas.size() * cluster.ctas[0].threads.size();
  cluster.barrier = ClusterBarrier();
  if (worker.options().detectRaces)
    cluster.clocks.reset(cluster.liveThreads, engineCount(cluster));
  worker.queue.reset(warps);
  worker.bulkLoads.clear();
  worker.trackedCopies.clear();
  worker.tracksCopies = false;
  worker.idleIterations = 0;
  worker.timeouts = 0;
  // A schedule depends on the seed and on the cluster, not on which host thread
  // happens to run it.
  worker.randomState = worker.options().seed * 0x9E3779B97F4A7C15u + index;
  for (Cta &cta : cluster.ctas)
    resetCta(cta, position(index, clusters));
}

} // namespace convmlir::emu
