//===- WgmmaReads.cpp - shared memory that wgmma reads --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WgmmaReads.h.
//
//===----------------------------------------------------------------------===//

#include "WgmmaReads.h"
#include "RegisterMatrix.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Memory/SharedMemory.h"
#include "Runtime/Memory/SharedRaces.h"

namespace convmlir::emu {

static bool poisons(const Thread &thread) {
  return thread.worker->options().invalidOperands == InvalidOperands::Poison;
}

/// Calls `visit(shared offset)` for the chunks of A, unless it is in registers,
/// then those of B.
template <typename Visit>
static void forEachOperandChunk(const Wgmma &product, Visit visit) {
  const WgmmaShape &shape = product.site->shape;
  if (!product.registers)
    forEachChunk(product.a, shape.aMajor, kWgmmaM, visit);
  forEachChunk(product.b, shape.bMajor, shape.n, visit);
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

namespace {

/// Whether all warps of the warpgroup know of an access, or did when they last
/// fenced for the async proxy. Neighbouring chunks mostly have the same writer.
class OrderCheck {
public:
  OrderCheck(const Thread &thread, bool atFence)
      : clocks(thread.worker->cluster.clocks), cta(*thread.cta),
        firstWarp(thread.warp->index / kWarpgroupWarps * kWarpgroupWarps),
        atFence(atFence) {}

  bool isOrdered(AccessStamp writer) {
    if (writer.slot == last.slot && writer.epoch == last.epoch)
      return lastOrdered;
    last = writer;
    lastOrdered = true;
    for (unsigned i = 0; i < kWarpgroupWarps; ++i)
      lastOrdered &= warpKnows(cta.warps[firstWarp + i], writer);
    return lastOrdered;
  }

private:
  /// The warp executes as one: what any of its lanes has waited for is there.
  bool warpKnows(const Warp &warp, AccessStamp writer) const {
    for (const Thread *lane : warp.lanes)
      if (atFence ? VectorClocks::has(lane->fencedClock, writer)
                  : clocks.ordered(lane->slot, writer))
        return true;
    return false;
  }

  const VectorClocks &clocks;
  const Cta &cta;
  unsigned firstWarp;
  bool atFence;
  AccessStamp last;
  bool lastOrdered = true;
};

} // namespace

/// The last writer of a granule whom not all warps know of, if there is one.
static const AccessStamp *unorderedWriter(SharedShadow &shadow, uint32_t index,
                                          OrderCheck &order) {
  if (!shadow.granule(index).split) {
    AccessStamp &writer = shadow.whole(index).writer;
    return order.isOrdered(writer) ? nullptr : &writer;
  }
  for (uint32_t i = 0; i < SharedShadow::kStamps; ++i) {
    AccessStamp &writer = shadow.stamps(index)[i].writer;
    if (!order.isOrdered(writer))
      return &writer;
  }
  return nullptr;
}

/// Checks one chunk and returns its version, or 0 if it is invalid.
static uint16_t checkChunk(Thread &thread, const Site &site, uint32_t offset,
                           OrderCheck &order, OrderCheck *fences) {
  Cta &cta = *thread.cta;
  if (offset + kGranuleBytes > cta.sharedBytes) {
    resolveShared(thread, site, cta.shared + offset, kGranuleBytes, "read");
    fault(thread, site,
          "reads bytes at shared offset %u, in another workgroup's memory",
          offset);
  }
  uint32_t index = offset / kGranuleBytes;
  SharedShadow::Granule &granule = cta.shadow.granule(index);
  // What mbarriers track is fenced by who reads it.
  bool isFenced = granule.unfencedBy && fences &&
                  !unorderedWriter(cta.shadow, index, *fences);
  const char *reason = invalidReason(granule, kWholeGranule,
                                     isFenced ? Proxy::Generic : Proxy::Async);
  if (reason && !poisons(thread))
    fault(thread, site, "reads bytes at shared offset %u, but %s", offset,
          reason);
  if (!reason && thread.worker->options().detectRaces)
    if (const AccessStamp *writer = unorderedWriter(cta.shadow, index, order)) {
      if (!poisons(thread))
        raceFault(thread, site, "reads", offset, "wrote", *writer);
      reason = "no barrier orders their write before";
    }
  if (reason) {
    notePoisonedRead(thread, site, offset, reason);
    return 0;
  }
  ++granule.wgmmaReaders;
  return granule.version;
}

void beginReads(Thread &thread, Wgmma &product) {
  const WgmmaSite &site = *product.site;
  product.versions.reserve(chunkCount(kWgmmaM + site.shape.n));
  OrderCheck order(thread, /*atFence=*/false);
  OrderCheck fences(thread, /*atFence=*/true);
  const Worker &worker = *thread.worker;
  bool tracks = worker.tracksCopies && worker.options().detectRaces;
  forEachOperandChunk(product, [&](uint32_t offset) {
    product.versions.push_back(
        checkChunk(thread, site, offset, order, tracks ? &fences : nullptr));
  });
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

void gatherOperands(Thread &thread, const Wgmma &product,
                    WgmmaOperands &operands) {
  Cta &cta = *thread.cta;
  const uint16_t *version = product.versions.data();
  auto find = [&](uint32_t offset) {
    const auto &granule = cta.shadow.granule(offset / kGranuleBytes);
    uint16_t issued = *version++;
    if (issued && issued == granule.version)
      return static_cast<const std::byte *>(cta.shared + offset);
    if (issued)
      notePoisonedRead(thread, *product.site, offset,
                       "they were overwritten before the wgmma was waited for");
    return nanRow();
  };
  const WgmmaShape &shape = product.site->shape;
  const std::byte **a = operands.a, **b = operands.b;
  if (product.registers)
    for (const auto &chunk : product.registers->chunks)
      *a++ = chunk;
  else
    forEachChunk(product.a, shape.aMajor, kWgmmaM,
                 [&](uint32_t offset) { *a++ = find(offset); });
  forEachChunk(product.b, shape.bMajor, shape.n,
               [&](uint32_t offset) { *b++ = find(offset); });
}

void endReads(Thread &thread, const Wgmma &product) {
  Cta &cta = *thread.cta;
  // A kernel that may read rows which it drops may also do so while they are
  // written next.
  bool stamps = thread.worker->options().detectRaces && !poisons(thread);
  AccessStamp stamp;
  if (stamps)
    stamp = thread.worker->cluster.clocks.stamp(thread.warpgroup->slot);
  const uint16_t *version = product.versions.data();
  forEachOperandChunk(product, [&](uint32_t offset) {
    if (!*version++)
      return;
    --cta.shadow.granule(offset / kGranuleBytes).wgmmaReaders;
    if (stamps)
      noteReader({cta, offset, kGranuleBytes}, stamp);
  });
}

} // namespace convmlir::emu
