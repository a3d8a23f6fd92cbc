//===- BarrierOps.cpp - the named barriers of a workgroup -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BarrierOps.h.
//
//===----------------------------------------------------------------------===//

#include "BarrierOps.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Machine/Rendezvous.h"

#include <bit>

namespace convmlir::emu {

namespace {

/// The decoded operands of a warp's arrival.
struct Arrival {
  uint32_t id = 0;
  uint32_t warps = 0;
};

} // namespace

static uint32_t idOperand(const BarrierSite &site, const std::byte *mailbox) {
  return site.hasId ? site.operand<uint32_t>(mailbox, 0) : 0;
}

static uint32_t threadsOperand(const BarrierSite &site, const Cta &cta,
                               const std::byte *mailbox) {
  if (site.hasThreads)
    return site.operand<uint32_t>(mailbox, site.hasId);
  return cta.warps.size() * kWarpSize;
}

static Arrival decode(Thread &thread, const BarrierSite &site) {
  Warp &warp = *thread.warp;
  const std::byte *own = thread.mailbox;
  uint32_t id = idOperand(site, own);
  uint32_t threads = threadsOperand(site, *thread.cta, own);
  for (Thread *other : warp.lanes)
    if (other && (idOperand(site, other->mailbox) != id ||
                  threadsOperand(site, *thread.cta, other->mailbox) != threads))
      fault(*other, site, "barrier or thread count differs between the lanes");
  if (id >= thread.cta->barriers.size())
    fault(thread, site, "barrier %u; there are 0 to 15", id);
  if (threads == 0 || threads % kWarpSize)
    fault(thread, site, "thread count %u is not a positive multiple of %u",
          threads, kWarpSize);
  if (threads > thread.cta->warps.size() * kWarpSize)
    fault(thread, site, "thread count %u, but the workgroup has %zu threads",
          threads, thread.cta->threads.size());
  return {id, threads / kWarpSize};
}

static void addPredicates(const Warp &warp, const BarrierSite &site,
                          NamedBarrier &state) {
  unsigned operand = unsigned(site.hasId) + unsigned(site.hasThreads);
  for (const Thread *lane : warp.lanes)
    if (lane && site.operand<uint32_t>(lane->mailbox, operand))
      ++state.trueCount;
}

/// Counts the warp in. Returns whether the barrier is complete.
static bool arrive(Thread &thread, const BarrierSite &site,
                   const Arrival &arrival) {
  NamedBarrier &state = thread.cta->barriers[arrival.id];
  if (state.arrivedWarps && state.expectedWarps != arrival.warps)
    fault(thread, site,
          "barrier %u is used with %u threads here and with %u by others",
          arrival.id, arrival.warps * kWarpSize,
          state.expectedWarps * kWarpSize);
  if (state.arrivedWarps && state.reduction != site.reduction)
    fault(thread, site, "other warps are at a barrier with another reduction");
  state.expectedWarps = arrival.warps;
  state.reduction = site.reduction;
  if (site.reduction != BarrierReduction::None)
    addPredicates(*thread.warp, site, state);
  if (!site.arriveOnly)
    state.waitingWarps |= 1u << thread.warp->index;
  return ++state.arrivedWarps == arrival.warps;
}

template <typename Visit>
static void forEachWarp(Cta &cta, uint32_t warps, Visit visit) {
  for (; warps; warps &= warps - 1)
    visit(cta.warps[std::countr_zero(warps)]);
}

/// Publishes what the lanes of a warp did before the barrier.
static void releaseWarp(Warp &warp, NamedBarrier &state) {
  VectorClocks &clocks = warp.cta->worker->cluster.clocks;
  for (const Thread *lane : warp.lanes)
    if (lane)
      clocks.release(lane->slot, state.clock);
}

/// Whether every thread of the cluster waits at this barrier once it completes.
static bool joinsEverybody(const Cta &cta, const NamedBarrier &state) {
  return cta.worker->cluster.ctas.size() == 1 &&
         std::popcount(state.waitingWarps) == int(cta.warps.size());
}

/// Warps that wait know no more at completion than at their arrival, so their
/// releases are put off until here, where they are often not needed.
static void synchroniseWarps(Cta &cta, NamedBarrier &state) {
  VectorClocks &clocks = cta.worker->cluster.clocks;
  if (joinsEverybody(cta, state))
    return clocks.synchroniseAll();
  forEachWarp(cta, state.waitingWarps,
              [&](Warp &warp) { releaseWarp(warp, state); });
  forEachWarp(cta, state.waitingWarps, [&](Warp &warp) {
    for (const Thread *lane : warp.lanes)
      if (lane)
        clocks.acquire(lane->slot, state.clock);
  });
}

static uint32_t reductionResult(const BarrierSite &site, uint32_t trueCount,
                                uint32_t threads) {
  switch (site.reduction) {
  case BarrierReduction::And:
    return trueCount == threads;
  case BarrierReduction::Or:
    return trueCount != 0;
  default:
    return trueCount;
  }
}

/// The op at which a waiting warp is: its first lane blocked there, except in
/// the warp that completes the barrier.
static const Site &warpSite(const Warp &warp, const Site &completing) {
  unsigned first = std::countr_zero(warp.present);
  const Site *site = warp.lanes[first]->blockedAt;
  return site ? *site : completing;
}

static void deliverReduction(Cta &cta, const BarrierSite &site,
                             const NamedBarrier &state) {
  uint32_t threads = 0;
  forEachWarp(cta, state.waitingWarps,
              [&](Warp &warp) { threads += std::popcount(warp.present); });
  uint32_t result = reductionResult(site, state.trueCount, threads);
  // Another warp may have come through another op, with its own mailbox layout.
  forEachWarp(cta, state.waitingWarps, [&](Warp &warp) {
    for (const Thread *lane : warp.lanes)
      if (lane)
        warpSite(warp, site).setResult(lane->mailbox, result);
  });
}

static void complete(Cta &cta, const BarrierSite &site, NamedBarrier &state) {
  Worker &worker = *cta.worker;
  ++worker.counters.barriers;
  if (worker.options().detectRaces)
    synchroniseWarps(cta, state);
  if (site.reduction != BarrierReduction::None)
    deliverReduction(cta, site, state);
  uint32_t waiting = state.waitingWarps;
  state.clock.clear();
  state.arrivedWarps = state.waitingWarps = state.trueCount = 0;
  forEachWarp(cta, waiting, [&](Warp &warp) {
    warp.traffic.flush(worker.counters);
    wake(warp, warp.present);
  });
}

void barrier(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const BarrierSite &>(*base);
  Warp &warp = *thread->warp;
  if (!joinRendezvous(*thread, site, warp.present))
    return block(*thread, site);
  // The last lane acts for its warp.
  Arrival arrival = decode(*thread, site);
  NamedBarrier &state = thread->cta->barriers[arrival.id];
  if (site.arriveOnly && thread->worker->options().detectRaces)
    releaseWarp(warp, state);
  bool isComplete = arrive(*thread, site, arrival);
  if (site.arriveOnly)
    wake(warp, warp.present);
  if (isComplete)
    complete(*thread->cta, site, state);
  // Whether complete or not, the warp's lanes were made ready together with
  // this one: it waits for its turn like them.
  block(*thread, site);
}

} // namespace convmlir::emu
