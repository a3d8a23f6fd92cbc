//===- Machine.h - objects of the emulated machine --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread, Warp, Cta, Cluster, and the Worker: the host thread that runs one
// cluster at a time. A cluster's objects are made once per worker and reset for
// each cluster of the grid.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_MACHINE_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_MACHINE_H

#include "Fiber.h"
#include "Livelock.h"
#include "RegisterPool.h"
#include "Runtime/Barriers/Mbarrier.h"
#include "Runtime/Copies/BulkLoads.h"
#include "Runtime/Copies/BulkStore.h"
#include "Runtime/Copies/CpAsyncQueue.h"
#include "Runtime/Matrices/Warpgroup.h"
#include "Runtime/Memory/SharedArena.h"
#include "Runtime/Memory/SharedShadow.h"
#include "Runtime/Memory/Traffic.h"
#include "Runtime/Memory/VectorClock.h"
#include "Site.h"
#include "ThreadAbi.h"
#include "WarpQueue.h"
#include "conv/Emulator/EmulatorMemory.h"
#include "conv/Emulator/LaunchOptions.h"

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace convmlir::emu {

struct Cta;
struct Warp;
struct Worker;

/// A granule of the shared memory of workgroup `rank` of the cluster.
struct GranuleId {
  uint32_t rank;
  uint32_t index;
};

/// One CUDA thread: a fiber.
struct alignas(64) Thread : ThreadAbi {
  void *stackPointer = nullptr;
  Worker *worker = nullptr;
  Cta *cta = nullptr;
  Warp *warp = nullptr;
  Warpgroup *warpgroup = nullptr;
  /// Position in the workgroup, and in the cluster (its clock slot and stack).
  uint32_t linear = 0;
  uint32_t slot = 0;
  uint32_t lane = 0;
  bool exited = false;
  /// The op at which the thread waits, for reports.
  const Site *blockedAt = nullptr;
  CpAsyncQueue copies;
  GroupQueue<BulkStore> bulkStores;
  /// Steps of its warpgroup that the thread has come to.
  uint64_t wgmmaSteps = 0;
  /// Shared memory that the thread wrote and has not fenced for the async proxy
  /// since; mbarriers that it initialised and has not fenced.
  std::vector<GranuleId> unfencedGranules;
  std::vector<Mbarrier *> unfencedBarriers;
  /// What the thread knew at its last fence for the async proxy.
  ClockSum fencedClock;
  /// The mbarrier and its phase that the thread waits for.
  Mbarrier *awaited = nullptr;
  bool mayTimeOut = false;
  bool timedOut = false;
  /// At the cluster's barrier: has arrived in a phase that is not complete, has
  /// not waited since it arrived, is blocked in that wait.
  bool arrivedAtCluster = false;
  bool owesClusterWait = false;
  /// Has executed a fence, which makes its next relaxed arrival a release.
  bool fenced = false;
  bool waitsForCluster = false;
  /// False until a thread that must wait for the kernels in front has done so.
  bool mayAccessGlobal = true;
  /// For loops that never end.
  StateCycle cycle;
  /// The buffer of the last global access: most accesses hit it again.
  EmulatorMemory::Buffer lastBuffer;

  uint32_t laneBit() const { return 1u << lane; }
};

/// A collective operation that some lanes of a warp have reached.
struct Rendezvous {
  const Site *site = nullptr;
  uint32_t mask = 0;
  uint32_t arrived = 0;
};

struct Warp {
  Cta *cta = nullptr;
  unsigned index = 0;
  std::array<Thread *, kWarpSize> lanes{};
  /// Lanes that exist, that have not exited, and that can run now.
  uint32_t present = 0;
  uint32_t live = 0;
  uint32_t ready = 0;
  /// Where the search for a ready lane starts.
  unsigned nextLane = 0;
  bool queued = false;
  /// Registers of a thread, as setmaxnreg changes them.
  uint32_t registers = 0;
  /// Collectives under way; their masks are disjoint.
  std::array<Rendezvous, kWarpSize> pending{};
  unsigned pendingCount = 0;
  std::byte *mailboxes = nullptr;
  TrafficLog traffic;

  std::byte *mailbox(unsigned lane) const;
};

/// What a barrier computes from the predicates of the threads.
enum class BarrierReduction { None, Count, And, Or };

/// One of the sixteen named barriers of a workgroup.
struct NamedBarrier {
  uint32_t arrivedWarps = 0;
  uint32_t expectedWarps = 0;
  /// Warps whose lanes wait, one bit each.
  uint32_t waitingWarps = 0;
  BarrierReduction reduction = BarrierReduction::None;
  /// Threads that arrived with a true predicate.
  uint32_t trueCount = 0;
  /// What warps that arrived without waiting have published.
  ClockSum clock;
};

struct Cta {
  unsigned rank = 0;
  Worker *worker = nullptr;
  std::byte *shared = nullptr;
  uint32_t sharedBytes = 0;
  SharedShadow shadow;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<Warpgroup> warpgroups;
  std::array<NamedBarrier, 16> barriers;
  MbarrierTable mbarriers;
  RegisterPool registers;
  uint32_t liveThreads = 0;
};

/// barrier.cluster: threads arrive, and wait later.
struct ClusterBarrier {
  uint32_t arrived = 0;
  uint64_t phase = 0;
  ClockSum arriving;
  ClockSum completed;
};

struct Cluster {
  std::vector<Cta> ctas;
  SharedArena arena;
  FiberStacks stacks;
  VectorClocks clocks;
  std::vector<std::byte> mailboxStorage;
  uint32_t liveThreads = 0;
  ClusterBarrier barrier;

  uint32_t threadCount() const { return ctas.size() * ctas[0].threads.size(); }
  /// The clock slot of bulk copies; those of the warpgroups' wgmma follow.
  uint32_t bulkSlot() const { return threadCount(); }

  /// The workgroup whose shared window contains `pointer`, or null.
  Cta *ctaOf(const void *pointer) {
    size_t offset = static_cast<const std::byte *>(pointer) - ctas[0].shared;
    size_t rank = offset / kSharedWindowBytes;
    return rank < ctas.size() ? &ctas[rank] : nullptr;
  }
};

/// What all workers of a launch share, read-only.
struct LaunchContext {
  std::string kernelName;
  KernelEntry entry = nullptr;
  void **arguments = nullptr;
  /// Addresses of those arguments that are tensor maps.
  std::vector<const void *> tensorMaps;
  const EmulatorMemory *memory = nullptr;
  LaunchGeometry geometry;
  LaunchOptions options;
  uint32_t sharedBytes = 0;
  uint32_t mailboxBytes = 0;
  uint32_t siteCount = 0;
  /// Registers of a thread at the start.
  uint32_t registersPerThread = 0;
  /// Whether the module has ops of the async proxy, so that fences matter.
  bool usesAsyncProxy = false;
};

struct Worker {
  const LaunchContext *launch = nullptr;
  Cluster cluster;
  WarpQueue queue;
  /// Bulk copies to shared memory that have not landed.
  std::vector<BulkLoad> bulkLoads;
  /// Copies of threads that mbarriers track and that have not landed, and
  /// whether there were any.
  std::deque<TrackedCopies> trackedCopies;
  bool tracksCopies = false;
  void *hostStack = nullptr;
  uint64_t randomState = 0;
  /// Loop iterations since any thread was woken or ended.
  uint64_t idleIterations = 0;
  /// Counts whatever one thread does that another, or itself later, may see.
  uint64_t changes = 0;
  /// Rounds of try_wait that timed out since then, because nobody could run.
  unsigned timeouts = 0;
  bool faulted = false;
  std::string fault;
  EmulatorCounters counters;
  uint64_t poisonedReads = 0;
  std::string firstPoisonedRead;

  const LaunchOptions &options() const { return launch->options; }
  /// A pseudo-random number; the same sequence for the same seed.
  uint32_t random() {
    randomState = randomState * 6364136223846793005u + 1442695040888963407u;
    return uint32_t(randomState >> 33);
  }
};

inline std::byte *Warp::mailbox(unsigned lane) const {
  return mailboxes + size_t(lane) * cta->worker->launch->mailboxBytes;
}

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_MACHINE_H
