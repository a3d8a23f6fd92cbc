//===- BulkStores.cpp - bulk copies from shared memory --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BulkStores.h.
//
//===----------------------------------------------------------------------===//

#include "BulkStores.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Memory/GlobalMemory.h"
#include "Runtime/Memory/SharedMemory.h"
#include "Runtime/Memory/SharedRaces.h"
#include "TensorMapOperand.h"

namespace convmlir::emu {

/// Calls `visit(chunk, row, offset)` for the 16-byte chunks that hold something
/// of the tensor: the place in shared memory, the row and the byte in it.
template <typename Visit>
static void forEachChunk(const BulkStore &store, Visit visit) {
  forEachRow(store.map, store.position, [&](const TensorRow &row) {
    for (uint32_t i = row.begin / kGranuleBytes * kGranuleBytes; i < row.end;
         i += kGranuleBytes)
      visit(swizzled(store.source + row.sharedOffset + i, store.map.swizzle),
            row, i);
  });
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

static void beginRead(Thread &thread, const BulkStoreSite &site,
                      const std::byte *pointer) {
  SharedRange range =
      resolveShared(thread, site, pointer, kGranuleBytes, "read");
  if (&range.cta != thread.cta)
    fault(thread, site, "reads %p, in another workgroup's shared memory",
          static_cast<const void *>(pointer));
  SharedShadow::Granule &granule =
      range.cta.shadow.granule(range.offset / kGranuleBytes);
  if (const char *reason = invalidReason(granule, kWholeGranule, Proxy::Async))
    fault(thread, site, "reads bytes at shared offset %u, but %s", range.offset,
          reason);
  raceCheckRead(thread, site, range);
  ++granule.storeReaders;
}

static void endRead(Thread &thread, uint32_t offset) {
  Cta &cta = *thread.cta;
  --cta.shadow.granule(offset / kGranuleBytes).storeReaders;
  if (thread.worker->options().detectRaces)
    noteReader({cta, offset, kGranuleBytes},
               thread.worker->cluster.clocks.stamp(thread.slot));
}

/// The bytes of a chunk that are in the tensor go to global memory.
static void moveChunk(const Thread &thread, uint32_t chunk,
                      const TensorRow &row, uint32_t offset) {
  uint32_t begin = std::max(row.begin, offset);
  uint32_t end = std::min(row.end, offset + kGranuleBytes);
  std::memcpy(row.address + begin, thread.cta->shared + chunk + begin - offset,
              end - begin);
}

static void moveData(Thread &thread, const BulkStore &store) {
  EmulatorCounters &counters = thread.worker->counters;
  forEachRow(store.map, store.position, [&](const TensorRow &row) {
    if (row.begin == row.end)
      return;
    checkGlobal(thread, *store.site, row.address + row.begin,
                row.end - row.begin, "bulk store");
    counters.globalStoreBytes += row.end - row.begin;
  });
  forEachChunk(store,
               [&](uint32_t chunk, const TensorRow &row, uint32_t offset) {
                 moveChunk(thread, chunk, row, offset);
               });
  counters.bulkStoreBytes += store.map.boxBytes();
}

void storeBulk(Thread *thread, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const BulkStoreSite &>(*base);
  if (site.hasPredicate && !site.operand<bool>(mailbox, 2 + site.rank))
    return;
  checkWaited(*thread, site);
  BulkStore store;
  store.site = &site;
  store.map = tensorMapAt(*thread, site, site.operand<std::byte *>(mailbox, 0),
                          site.rank, site.isIm2col);
  if (store.map.roundsToTF32)
    fault(*thread, site,
          "stores through a tensor map of tf32 are not emulated");
  for (unsigned i = 0; i < site.rank; ++i)
    store.position.coordinates[i] = site.operand<int32_t>(mailbox, 2 + i);
  auto *source = site.operand<std::byte *>(mailbox, 1);
  if (thread->worker->cluster.ctaOf(source) != thread->cta)
    fault(*thread, site,
          "the source %p is not in the workgroup's own shared memory",
          static_cast<void *>(source));
  store.source = uint32_t(source - thread->cta->shared);
  checkPosition(*thread, site, store.map, store.position);
  // Seen on an H200; the PTX ISA does not say so.
  if (int32_t first = store.position.coordinates[0]; first < 0)
    fault(*thread, site,
          "starts at %d in dimension 0, in front of the tensor: an illegal "
          "instruction",
          first);
  checkBulkAlignment(*thread, site, store.source);
  // Chunks that the tensor does not take may hold anything.
  forEachChunk(store, [&](uint32_t chunk, const TensorRow &, uint32_t) {
    beginRead(*thread, site, thread->cta->shared + chunk);
  });
  if (thread->worker->options().asyncMode == AsyncMode::Early)
    moveData(*thread, store);
  thread->bulkStores.add(store);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static void retire(Thread &thread, const BulkStore &store) {
  if (thread.worker->options().asyncMode == AsyncMode::Late)
    moveData(thread, store);
  forEachChunk(store, [&](uint32_t chunk, const TensorRow &, uint32_t) {
    endRead(thread, chunk);
  });
}

void commitBulk(Thread *thread, const Site *, std::byte *) {
  thread->bulkStores.commit();
}

void waitForBulk(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const BulkWaitSite &>(*base);
  while (thread->bulkStores.committedGroups() > site.pendingGroups)
    thread->bulkStores.retireGroup(
        [&](const BulkStore &store) { retire(*thread, store); });
}

void checkStoresWaitedFor(Thread &thread) {
  if (!thread.bulkStores.empty())
    fault(thread, *thread.bulkStores.front().site,
          "the thread ends with bulk stores that it never waited for");
}

} // namespace convmlir::emu
