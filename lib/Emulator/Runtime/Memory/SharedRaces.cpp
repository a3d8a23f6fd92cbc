//===- SharedRaces.cpp - data races in shared memory ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of whole granules, as matrix and bulk operations make them, keep one
// record for all their bytes; the first narrower access splits it.
//
//===----------------------------------------------------------------------===//

#include "SharedRaces.h"
#include "Runtime/Machine/Fault.h"

namespace convmlir::emu {

using Access = SharedShadow::Access;

std::string describeAccessor(const Thread &thread, AccessStamp stamp) {
  const Cluster &cluster = thread.worker->cluster;
  uint32_t threads = thread.cta->threads.size();
  if (stamp.slot == cluster.bulkSlot())
    return "an asynchronous bulk copy";
  if (stamp.slot > cluster.bulkSlot())
    return "a wgmma";
  std::string text = "thread " + std::to_string(stamp.slot % threads);
  if (stamp.slot / threads != thread.cta->rank)
    text += " of another workgroup";
  return text;
}

[[noreturn]] void raceFault(Thread &thread, const Site &site, const char *verb,
                            uint32_t offset, const char *otherVerb,
                            AccessStamp other) {
  fault(thread, site,
        "data race: this thread %s shared offset %u, which %s %s, with no "
        "barrier between them",
        verb, offset, describeAccessor(thread, other).c_str(), otherVerb);
}

/// Calls `visit(access, offset)` for the records that a range touches.
template <typename Visit>
static void forEachAccess(const SharedRange &range, Visit visit) {
  SharedShadow &shadow = range.cta.shadow;
  forEachGranule(range, [&](uint32_t index, uint16_t mask, uint32_t offset) {
    if (mask == kWholeGranule && !shadow.granule(index).split)
      return visit(shadow.whole(index), offset);
    shadow.split(index);
    Access *stamps = shadow.stamps(index);
    constexpr uint16_t stampMask = (1u << kStampBytes) - 1;
    for (uint32_t i = 0; i < SharedShadow::kStamps; ++i)
      if (mask >> (i * kStampBytes) & stampMask)
        visit(stamps[i], index * kGranuleBytes + i * kStampBytes);
  });
}

static bool isOff(const Thread &thread) {
  return !thread.worker->options().detectRaces;
}

void raceCheckRead(Thread &thread, const Site &site, const SharedRange &range) {
  if (isOff(thread))
    return;
  const VectorClocks &clocks = thread.worker->cluster.clocks;
  AccessStamp stamp = clocks.stamp(thread.slot);
  forEachAccess(range, [&](Access &access, uint32_t offset) {
    if (!clocks.ordered(thread.slot, access.writer))
      raceFault(thread, site, "reads", offset, "wrote", access.writer);
    access.reader = stamp;
  });
}

static void checkUnordered(Thread &thread, const Site &site,
                           const Access &access, uint32_t offset) {
  const VectorClocks &clocks = thread.worker->cluster.clocks;
  if (!clocks.ordered(thread.slot, access.writer))
    raceFault(thread, site, "writes", offset, "wrote", access.writer);
  if (!clocks.ordered(thread.slot, access.reader))
    raceFault(thread, site, "writes", offset, "read", access.reader);
}

void raceCheckBegin(Thread &thread, const Site &site,
                    const SharedRange &range) {
  if (isOff(thread))
    return;
  forEachAccess(range, [&](Access &access, uint32_t offset) {
    checkUnordered(thread, site, access, offset);
  });
}

void raceCheckWrite(Thread &thread, const Site &site,
                    const SharedRange &range) {
  if (isOff(thread))
    return;
  AccessStamp stamp = thread.worker->cluster.clocks.stamp(thread.slot);
  forEachAccess(range, [&](Access &access, uint32_t offset) {
    checkUnordered(thread, site, access, offset);
    // Whoever is ordered after this write is ordered after the reads before.
    access = {stamp, AccessStamp()};
  });
}

void noteWriter(const SharedRange &range, AccessStamp stamp) {
  SharedShadow &shadow = range.cta.shadow;
  forEachGranule(range, [&](uint32_t index, uint16_t mask, uint32_t) {
    if (mask == kWholeGranule)
      shadow.granule(index).split = false;
  });
  forEachAccess(range, [&](Access &access, uint32_t) {
    access = {stamp, AccessStamp()};
  });
}

void noteReader(const SharedRange &range, AccessStamp stamp) {
  forEachAccess(range,
                [&](Access &access, uint32_t) { access.reader = stamp; });
}

} // namespace convmlir::emu
