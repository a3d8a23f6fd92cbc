//===- BulkLoads.cpp - bulk copies to shared memory -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BulkLoads.h.
//
//===----------------------------------------------------------------------===//

#include "BulkLoads.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Memory/GlobalMemory.h"
#include "Runtime/Memory/SharedMemory.h"
#include "TensorMapOperand.h"

#include <bit>

namespace convmlir::emu {

//===----------------------------------------------------------------------===//
// Landing
//===----------------------------------------------------------------------===//

/// Rounds f32 to the ten bits of fraction of tf32, to nearest even, as loads
/// through a tensor map of tf32 do. Infinities and NaN stay as they are.
static void roundToTF32(std::byte *row, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += sizeof(uint32_t)) {
    uint32_t word;
    std::memcpy(&word, row + i, sizeof word);
    if ((~word & 0x7f800000u) == 0)
      continue;
    word = (word + 0xfff + (word >> 13 & 1)) & 0xffffe000u;
    std::memcpy(row + i, &word, sizeof word);
  }
}

/// A row of the box as it goes to shared memory, out-of-bounds bytes filled.
static void fetchRow(const BulkLoad &load, const TensorRow &row,
                     std::byte *out) {
  uint32_t bytes = load.map.rowBytes();
  if (row.end - row.begin < bytes)
    std::memset(out, load.map.fillsNan ? 0xFF : 0, bytes);
  if (row.end == row.begin)
    return;
  checkGlobal(*load.thread, *load.site, row.address + row.begin,
              row.end - row.begin, "bulk load");
  std::memcpy(out + row.begin, row.address + row.begin, row.end - row.begin);
  if (load.map.roundsToTF32)
    roundToTF32(out, bytes);
  load.thread->worker->counters.globalLoadBytes += row.end - row.begin;
}

template <typename Visit>
static void forEachDestination(Cluster &cluster, uint32_t ranks, Visit visit) {
  for (; ranks; ranks &= ranks - 1)
    visit(cluster.ctas[std::countr_zero(ranks)]);
}

static void moveData(const BulkLoad &load) {
  Cluster &cluster = load.thread->worker->cluster;
  // The longest row: 256 elements of eight bytes.
  alignas(16) std::byte buffer[2048];
  forEachRow(load.map, load.position, [&](const TensorRow &row) {
    fetchRow(load, row, buffer);
    forEachDestination(cluster, load.ranks, [&](Cta &cta) {
      for (uint32_t i = 0; i < load.map.rowBytes(); i += kGranuleBytes) {
        uint32_t at = load.destination + row.sharedOffset + i;
        std::memcpy(cta.shared + swizzled(at, load.map.swizzle), buffer + i,
                    kGranuleBytes);
      }
    });
  });
}

static void complete(const BulkLoad &load, Cta &cta) {
  Worker &worker = *cta.worker;
  uint32_t bytes = load.map.boxBytes();
  if (cta.liveThreads == 0)
    fault(*load.thread, *load.site,
          "copies into workgroup %u of the cluster, which has exited",
          cta.rank);
  Mbarrier *object = cta.mbarriers.find(load.mbarrier);
  if (!object)
    fault(
        *load.thread, *load.site,
        "the mbarrier at shared offset %u was invalidated before the copy was "
        "complete",
        load.mbarrier);
  endBulkWrite(worker, cta.shared + load.destination, bytes);
  if (worker.options().detectRaces)
    worker.cluster.clocks.signal(worker.cluster.bulkSlot(), object->arriving);
  worker.counters.bulkLoadBytes += bytes;
  updateMbarrier(*load.thread, *load.site, *object, 0, -int64_t(bytes));
}

static void land(const BulkLoad &load) {
  moveData(load);
  forEachDestination(load.thread->worker->cluster, load.ranks,
                     [&](Cta &cta) { complete(load, cta); });
}

bool landBulkLoad(Worker &worker) {
  std::vector<BulkLoad> &loads = worker.bulkLoads;
  if (loads.empty())
    return false;
  size_t position = worker.options().seed ? worker.random() % loads.size() : 0;
  BulkLoad load = loads[position];
  loads.erase(loads.begin() + position);
  land(load);
  return true;
}

void checkLoadsLanded(Thread &thread) {
  if (thread.cta->liveThreads > 1)
    return;
  for (const BulkLoad &load : thread.worker->bulkLoads)
    if (load.ranks >> thread.cta->rank & 1)
      fault(*load.thread, *load.site,
            "workgroup %u of the cluster ends before this copy to it is "
            "complete",
            thread.cta->rank);
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

static BulkLoad decode(Thread &thread, const BulkLoadSite &site,
                       const std::byte *mailbox) {
  BulkLoad load;
  load.site = &site;
  load.thread = &thread;
  load.map = tensorMapAt(thread, site, site.operand<std::byte *>(mailbox, 1),
                         site.rank, site.isIm2col);
  unsigned next = 3;
  for (unsigned i = 0; i < site.rank; ++i)
    load.position.coordinates[i] = site.operand<int32_t>(mailbox, next++);
  for (unsigned i = 0; i < site.offsets; ++i)
    load.position.offsets[i] = site.operand<uint16_t>(mailbox, next++);
  load.ranks = site.hasMask ? site.operand<uint16_t>(mailbox, next)
                            : 1u << thread.cta->rank;
  return load;
}

static uint32_t ownOffset(Thread &thread, const BulkLoadSite &site,
                          const std::byte *pointer, const char *what) {
  Cta *cta = thread.worker->cluster.ctaOf(pointer);
  if (cta != thread.cta)
    fault(thread, site, "the %s %p is not in the workgroup's own shared memory",
          what, static_cast<const void *>(pointer));
  return uint32_t(pointer - cta->shared);
}

static void checkDestination(BulkLoad &load, Cta &cta) {
  Thread &thread = *load.thread;
  const BulkLoadSite &site = *load.site;
  Mbarrier &object = mbarrierAt(thread, site, cta.shared + load.mbarrier,
                                /*anyWorkgroup=*/true);
  if (!object.fenced)
    fault(thread, site,
          "the mbarrier at shared offset %u was initialised with neither a "
          "fence.mbarrier_init nor a fence.proxy.async since",
          object.offset);
  beginAsyncWrite(thread, site, cta.shared + load.destination,
                  load.map.boxBytes(), Proxy::Async);
}

void loadBulk(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const BulkLoadSite &>(*base);
  unsigned predicate = 3 + site.rank + site.offsets + site.hasMask;
  if (site.hasPredicate && !site.operand<bool>(mailbox, predicate))
    return;
  checkWaited(*thread, site);
  BulkLoad load = decode(*thread, site, mailbox);
  Worker &worker = *thread->worker;
  load.destination = ownOffset(
      *thread, site, site.operand<std::byte *>(mailbox, 0), "destination");
  load.mbarrier = ownOffset(*thread, site,
                            site.operand<std::byte *>(mailbox, 2), "mbarrier");
  checkPosition(*thread, site, load.map, load.position);
  checkBulkAlignment(*thread, site, load.destination);
  if (load.ranks == 0 || load.ranks >> worker.cluster.ctas.size())
    fault(*thread, site, "multicast mask %04x in a cluster of %zu workgroups",
          load.ranks, worker.cluster.ctas.size());
  forEachDestination(worker.cluster, load.ranks,
                     [&](Cta &cta) { checkDestination(load, cta); });
  if (worker.options().asyncMode == AsyncMode::Early)
    land(load);
  else
    worker.bulkLoads.push_back(load);
}

} // namespace convmlir::emu
