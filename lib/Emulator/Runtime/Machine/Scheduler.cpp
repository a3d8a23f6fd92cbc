//===- Scheduler.cpp - who runs next --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Scheduler.h.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include "DeadlockReport.h"
#include "Fault.h"
#include "Runtime/Barriers/MbarrierOps.h"
#include "Runtime/Copies/CpAsyncOps.h"

#include <bit>

namespace convmlir::emu {

static thread_local Thread *running = nullptr;

Thread *runningThread() { return running; }

static void switchTo(Thread &from, Thread &to) {
  if (&from == &to)
    return;
  running = &to;
  emuSwitchFiber(&from.stackPointer, to.stackPointer);
}

static void enqueue(Warp &warp) {
  if (warp.queued)
    return;
  warp.queued = true;
  warp.cta->worker->queue.push(&warp);
}

/// Takes one ready lane: the lowest after the last that was taken, so that
/// lanes which poll do not starve the others; with a seed, a random one.
static Thread &takeLane(Worker &worker, Warp &warp) {
  unsigned start =
      worker.options().seed ? worker.random() % kWarpSize : warp.nextLane;
  uint32_t rotated = std::rotr(warp.ready, int(start));
  unsigned lane = (std::countr_zero(rotated) + start) % kWarpSize;
  warp.ready &= ~(1u << lane);
  warp.nextLane = (lane + 1) % kWarpSize;
  return *warp.lanes[lane];
}

/// Takes a warp with ready lanes off the queue, or returns null.
static Warp *takeWarp(Worker &worker) {
  while (!worker.queue.empty()) {
    size_t position = 0;
    if (worker.options().seed)
      position = worker.random() % worker.queue.size();
    Warp *warp = worker.queue.pop(position);
    warp->queued = false;
    if (warp->ready)
      return warp;
  }
  return nullptr;
}

/// The next thread to run, from `preferred` if it has a ready lane; null when
/// every thread has ended.
/// With a random schedule, bulk copies land now and then before they must.
static void landSome(Worker &worker) {
  constexpr uint32_t odds = 8;
  if (worker.options().seed && !worker.bulkLoads.empty() &&
      worker.random() % odds == 0)
    landBulkLoad(worker);
  if (worker.options().seed && !worker.trackedCopies.empty() &&
      worker.random() % odds == 0)
    landTrackedCopies(worker);
}

static Thread *nextThread(Worker &worker, Warp *preferred) {
  landSome(worker);
  // Twice in a row, or threads that wait for each other would time out forever.
  constexpr unsigned maxTimeouts = 2;
  do {
    Warp *warp = preferred && preferred->ready ? preferred : takeWarp(worker);
    if (warp)
      return &takeLane(worker, *warp);
    if (worker.cluster.liveThreads == 0)
      return nullptr;
  } while (landBulkLoad(worker) || landTrackedCopies(worker) ||
           (worker.timeouts++ < maxTimeouts && timeOutWaits(worker)));
  faultWithMessage(worker, deadlockReport(worker));
}

void block(Thread &thread, const Site &site) {
  thread.blockedAt = &site;
  switchTo(thread, *nextThread(*thread.worker, thread.warp));
  thread.blockedAt = nullptr;
}

void wake(Warp &warp, uint32_t lanes) {
  if (!lanes)
    return;
  warp.cta->worker->idleIterations = 0;
  ++warp.cta->worker->changes;
  warp.cta->worker->timeouts = 0;
  warp.ready |= lanes;
  warp.nextLane = 0;
  enqueue(warp);
}

void yield(Thread &thread, const Site &site) {
  thread.blockedAt = &site;
  thread.warp->ready |= thread.laneBit();
  // The other lanes of the warp stay ready with it: pick from the queue, where
  // this warp is now last.
  enqueue(*thread.warp);
  switchTo(thread, *nextThread(*thread.worker, nullptr));
  thread.blockedAt = nullptr;
}

void poll(Thread &thread, const Site &site) {
  Worker &worker = *thread.worker;
  worker.idleIterations += kLoopBudget;
  if (worker.idleIterations > worker.options().spinLimit)
    fault(thread, site, "livelock: %llu loop iterations without any progress",
          static_cast<unsigned long long>(worker.idleIterations));
  // Time passes, too, while some threads poll.
  constexpr uint64_t pollsOfATimeout = 256;
  if (worker.idleIterations / kLoopBudget % pollsOfATimeout == 0)
    timeOutWaits(worker);
  landBulkLoad(worker);
  landTrackedCopies(worker);
  yield(thread, site);
}

void makeReady(Thread &thread) {
  thread.warp->ready |= thread.laneBit();
  enqueue(*thread.warp);
}

void exitThread(Thread &thread) {
  Worker &worker = *thread.worker;
  thread.exited = true;
  thread.warp->live &= ~thread.laneBit();
  if (thread.warp->live == 0)
    thread.warp->traffic.flush(worker.counters);
  --worker.cluster.liveThreads;
  --thread.cta->liveThreads;
  worker.idleIterations = 0;
  worker.timeouts = 0;
  ++worker.changes;
  Thread *next = nextThread(worker, thread.warp);
  running = next;
  emuResumeFiber(next ? next->stackPointer : worker.hostStack);
}

void runCluster(Worker &worker) {
  Thread *first = nextThread(worker, nullptr);
  running = first;
  emuSwitchFiber(&worker.hostStack, first->stackPointer);
  running = nullptr;
}

} // namespace convmlir::emu
