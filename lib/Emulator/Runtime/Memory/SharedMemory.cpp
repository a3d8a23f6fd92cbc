//===- SharedMemory.cpp - checked accesses to shared memory ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SharedMemory.h.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "Runtime/Machine/Fault.h"
#include "SharedRaces.h"

namespace convmlir::emu {

using Granule = SharedShadow::Granule;

SharedRange resolveShared(Thread &thread, const Site &site, const void *pointer,
                          uint32_t bytes, const char *verb) {
  Cta *cta = thread.worker->cluster.ctaOf(pointer);
  if (!cta)
    fault(thread, site, "%s through %p, which is outside of shared memory",
          verb, pointer);
  uint32_t offset = static_cast<const std::byte *>(pointer) - cta->shared;
  if (uint64_t(offset) + bytes > cta->sharedBytes)
    fault(thread, site,
          "out-of-bounds shared %s of %u bytes at offset %u (%u bytes are "
          "allocated)",
          verb, bytes, offset, cta->sharedBytes);
  if (cta->liveThreads == 0)
    fault(thread, site,
          "%s in the shared memory of workgroup %u of the cluster, which has "
          "exited",
          verb, cta->rank);
  return {*cta, offset, bytes};
}

//===----------------------------------------------------------------------===//
// Validity
//===----------------------------------------------------------------------===//

static constexpr const char *kInFlight =
    "an asynchronous copy that is not waited for is writing them";
static constexpr const char *kUninitialised = "they were never written";
static constexpr const char *kMbarrier = "they hold an mbarrier object";
static constexpr const char *kUnfenced =
    "they were written through the generic proxy, with no fence.proxy.async "
    "since";

static bool holdsMbarrier(const Granule &granule, uint16_t mask) {
  uint16_t bytes = (granule.mbarriers & 1 ? 0x00FF : 0) |
                   (granule.mbarriers & 2 ? 0xFF00 : 0);
  return bytes & mask;
}

const char *invalidReason(const Granule &granule, uint16_t mask, Proxy proxy) {
  if (granule.inFlight & mask)
    return kInFlight;
  if (granule.mbarriers && holdsMbarrier(granule, mask))
    return kMbarrier;
  if ((granule.written & mask) != mask)
    return kUninitialised;
  if (proxy == Proxy::Async && granule.unfencedBy)
    return kUnfenced;
  return nullptr;
}

/// Why bytes of the range must not be read now, or null; `where` is then the
/// offset of the granule concerned.
static const char *invalidReason(const SharedRange &range, uint32_t &where) {
  const char *reason = nullptr;
  forEachGranule(range, [&](uint32_t index, uint16_t mask, uint32_t offset) {
    if (reason)
      return;
    reason =
        invalidReason(range.cta.shadow.granule(index), mask, Proxy::Generic);
    where = offset;
  });
  return reason;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

static SharedRange checkReadable(Thread &thread, const Site &site,
                                 const void *pointer, uint32_t bytes) {
  SharedRange range = resolveShared(thread, site, pointer, bytes, "read");
  uint32_t where = 0;
  if (const char *reason = invalidReason(range, where))
    fault(thread, site, "reads bytes at shared offset %u, but %s", where,
          reason);
  return range;
}

void checkSharedRead(Thread &thread, const Site &site, const void *pointer,
                     uint32_t bytes) {
  raceCheckRead(thread, site, checkReadable(thread, site, pointer, bytes));
}

void checkSharedAtomic(Thread &thread, const Site &site, const void *pointer,
                       uint32_t bytes) {
  checkReadable(thread, site, pointer, bytes);
}

void notePoisonedRead(Thread &thread, const Site &site, uint32_t offset,
                      const char *reason) {
  Worker &worker = *thread.worker;
  if (worker.poisonedReads++ == 0)
    worker.firstPoisonedRead =
        describe(thread, site, "reads bytes at shared offset %u, but %s",
                 offset, reason);
}

const std::byte *nanRow() {
  alignas(16) static constexpr uint64_t row[2] = {~uint64_t(0), ~uint64_t(0)};
  return reinterpret_cast<const std::byte *>(row);
}

const std::byte *readOperandRow(Thread &thread, const Site &site,
                                const std::byte *pointer) {
  SharedRange range =
      resolveShared(thread, site, pointer, kGranuleBytes, "read");
  uint32_t where = 0;
  if (const char *reason = invalidReason(range, where)) {
    if (thread.worker->options().invalidOperands == InvalidOperands::Fault)
      fault(thread, site, "reads bytes at shared offset %u, but %s", where,
            reason);
    notePoisonedRead(thread, site, where, reason);
    return nanRow();
  }
  raceCheckRead(thread, site, range);
  return pointer;
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

/// Checks that nothing asynchronous still wants the bytes, and notes that they
/// change. `verb` is "writes" or "copies to".
static void claim(Thread &thread, const Site &site, Granule &granule,
                  uint16_t mask, uint32_t offset, const char *verb) {
  if (granule.inFlight & mask)
    fault(thread, site, "%s bytes at shared offset %u, but %s", verb, offset,
          kInFlight);
  if (granule.mbarriers && holdsMbarrier(granule, mask))
    fault(thread, site, "%s bytes at shared offset %u, but %s", verb, offset,
          kMbarrier);
  if (granule.storeReaders)
    fault(thread, site,
          "%s bytes at shared offset %u, but a bulk store that is not waited "
          "for still reads them",
          verb, offset);
  bool poison =
      thread.worker->options().invalidOperands == InvalidOperands::Poison;
  if (granule.wgmmaReaders && !poison)
    fault(thread, site,
          "%s bytes at shared offset %u, but a wgmma that is not waited for "
          "still reads them",
          verb, offset);
  granule.version += granule.version == UINT16_MAX ? 2 : 1;
}

static void noteGenericWrite(Thread &thread, uint32_t rank, uint32_t index,
                             Granule &granule) {
  auto writer = uint16_t(thread.slot + 1);
  if (granule.unfencedBy == writer || !thread.worker->launch->usesAsyncProxy)
    return;
  granule.unfencedBy = writer;
  thread.unfencedGranules.push_back({rank, index});
}

void checkSharedWrite(Thread &thread, const Site &site, const void *pointer,
                      uint32_t bytes) {
  SharedRange range = resolveShared(thread, site, pointer, bytes, "write");
  forEachGranule(range, [&](uint32_t index, uint16_t mask, uint32_t offset) {
    Granule &granule = range.cta.shadow.granule(index);
    claim(thread, site, granule, mask, offset, "writes");
    granule.written |= mask;
    noteGenericWrite(thread, range.cta.rank, index, granule);
  });
  raceCheckWrite(thread, site, range);
}

//===----------------------------------------------------------------------===//
// Asynchronous writes
//===----------------------------------------------------------------------===//

void beginAsyncWrite(Thread &thread, const Site &site, const void *pointer,
                     uint32_t bytes, Proxy proxy) {
  SharedRange range = resolveShared(thread, site, pointer, bytes, "copy");
  ++thread.worker->changes;
  forEachGranule(range, [&](uint32_t index, uint16_t mask, uint32_t offset) {
    Granule &granule = range.cta.shadow.granule(index);
    if (granule.inFlight & mask)
      fault(thread, site,
            "copies to bytes at shared offset %u that another asynchronous "
            "copy is still writing",
            offset);
    claim(thread, site, granule, mask, offset, "copies to");
    if (proxy == Proxy::Async && granule.unfencedBy)
      fault(thread, site, "copies to bytes at shared offset %u, but %s", offset,
            kUnfenced);
    granule.inFlight |= mask;
  });
  raceCheckBegin(thread, site, range);
}

static void land(const SharedRange &range) {
  forEachGranule(range, [&](uint32_t index, uint16_t mask, uint32_t) {
    Granule &granule = range.cta.shadow.granule(index);
    granule.inFlight &= ~mask;
    granule.written |= mask;
  });
}

static SharedRange rangeAt(Cluster &cluster, const void *pointer,
                           uint32_t bytes) {
  Cta &cta = *cluster.ctaOf(pointer);
  auto offset = uint32_t(static_cast<const std::byte *>(pointer) - cta.shared);
  return {cta, offset, bytes};
}

void endAsyncWrite(Thread &thread, const void *pointer, uint32_t bytes) {
  Cluster &cluster = thread.worker->cluster;
  SharedRange range = rangeAt(cluster, pointer, bytes);
  land(range);
  forEachGranule(range, [&](uint32_t index, uint16_t, uint32_t) {
    noteGenericWrite(thread, range.cta.rank, index,
                     range.cta.shadow.granule(index));
  });
  if (thread.worker->options().detectRaces)
    noteWriter(range, cluster.clocks.stamp(thread.slot));
}

void endTrackedWrite(Thread &thread, const void *pointer, uint32_t bytes,
                     AccessStamp stamp) {
  SharedRange range = rangeAt(thread.worker->cluster, pointer, bytes);
  land(range);
  if (!thread.worker->options().detectRaces)
    return;
  // Who reads fences, which clocks tell: no list for a fence of the writer.
  if (thread.worker->launch->usesAsyncProxy)
    forEachGranule(range, [&](uint32_t index, uint16_t, uint32_t) {
      range.cta.shadow.granule(index).unfencedBy = uint16_t(thread.slot + 1);
    });
  noteWriter(range, stamp);
}

void endBulkWrite(Worker &worker, const void *pointer, uint32_t bytes) {
  Cluster &cluster = worker.cluster;
  SharedRange range = rangeAt(cluster, pointer, bytes);
  land(range);
  if (worker.options().detectRaces)
    noteWriter(range, cluster.clocks.stamp(cluster.bulkSlot()));
}

} // namespace convmlir::emu
