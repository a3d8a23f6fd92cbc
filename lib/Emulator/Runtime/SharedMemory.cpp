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
#include "Fault.h"

#include <algorithm>

namespace convmlir::emu {

namespace {

/// Bytes [offset, offset + bytes) of a workgroup.
struct SharedRange {
  Cta &cta;
  uint32_t offset;
  uint32_t bytes;
};

} // namespace

static SharedRange resolve(Thread &thread, const Site &site,
                           const void *pointer, uint32_t bytes,
                           const char *verb) {
  Cta *cta = thread.worker->cluster.ctaOf(pointer);
  if (!cta)
    fault(thread, site, "%s through %p, which is outside of shared memory",
          verb, pointer);
  uint32_t offset = static_cast<const std::byte *>(pointer) - cta->shared;
  if (offset + bytes > cta->sharedBytes)
    fault(thread, site,
          "out-of-bounds shared %s of %u bytes at offset %u (%u bytes are "
          "allocated)",
          verb, bytes, offset, cta->sharedBytes);
  return {*cta, offset, bytes};
}

/// Calls `visit(granule, mask, offset)` for the granules of a range, with the
/// bits of the bytes in question and the first such byte's offset.
template <typename Visit>
static void forEachGranule(const SharedRange &range, Visit visit) {
  uint32_t offset = range.offset, end = range.offset + range.bytes;
  while (offset < end) {
    uint32_t index = offset / kGranuleBytes;
    uint32_t low = offset % kGranuleBytes;
    uint32_t high = std::min(end - index * kGranuleBytes, kGranuleBytes);
    auto mask = uint16_t((1u << high) - (1u << low));
    visit(range.cta.shadow.granule(index), mask, offset);
    offset = (index + 1) * kGranuleBytes;
  }
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

[[noreturn]] static void raceFault(Thread &thread, const Site &site,
                                   const char *verb, uint32_t offset,
                                   const char *otherVerb, AccessStamp other) {
  uint32_t threads = thread.cta->threads.size();
  fault(thread, site,
        "data race: this thread %s shared offset %u, which thread %u%s %s, "
        "with no barrier between them",
        verb, offset, other.slot % threads,
        thread.worker->cluster.ctas.size() > 1 ? " of another workgroup" : "",
        otherVerb);
}

static void raceCheckRead(Thread &thread, const Site &site,
                          const SharedRange &range) {
  if (!thread.worker->options().detectRaces)
    return;
  const VectorClocks &clocks = thread.worker->cluster.clocks;
  AccessStamp stamp = clocks.stamp(thread.slot);
  uint32_t end = range.offset + range.bytes;
  for (uint32_t offset = range.offset; offset < end; offset += kStampBytes) {
    SharedShadow::Access &access = *range.cta.shadow.access(offset);
    if (!clocks.ordered(thread.slot, access.writer))
      raceFault(thread, site, "reads", offset, "wrote", access.writer);
    access.reader = stamp;
  }
}

/// `stampIt`: whether the write happens now, rather than when a copy lands.
static void raceCheckWrite(Thread &thread, const Site &site,
                           const SharedRange &range, bool stampIt) {
  if (!thread.worker->options().detectRaces)
    return;
  const VectorClocks &clocks = thread.worker->cluster.clocks;
  AccessStamp stamp = clocks.stamp(thread.slot);
  uint32_t end = range.offset + range.bytes;
  for (uint32_t offset = range.offset; offset < end; offset += kStampBytes) {
    SharedShadow::Access &access = *range.cta.shadow.access(offset);
    if (!clocks.ordered(thread.slot, access.writer))
      raceFault(thread, site, "writes", offset, "wrote", access.writer);
    if (!clocks.ordered(thread.slot, access.reader))
      raceFault(thread, site, "writes", offset, "read", access.reader);
    if (stampIt)
      access.writer = stamp;
  }
}

//===----------------------------------------------------------------------===//
// Validity
//===----------------------------------------------------------------------===//

static constexpr const char *kInFlight =
    "an asynchronous copy that is not waited for is writing them";
static constexpr const char *kUninitialised = "they were never written";

/// Why bytes of the range must not be read now, or null; `where` is then the
/// offset of the granule concerned.
static const char *invalidReason(const SharedRange &range, uint32_t &where) {
  const char *reason = nullptr;
  forEachGranule(range, [&](SharedShadow::Granule &granule, uint16_t mask,
                            uint32_t offset) {
    if (reason)
      return;
    if (granule.inFlight & mask)
      reason = kInFlight;
    else if ((granule.written & mask) != mask)
      reason = kUninitialised;
    where = offset;
  });
  return reason;
}

static SharedRange checkReadable(Thread &thread, const Site &site,
                                 const void *pointer, uint32_t bytes) {
  SharedRange range = resolve(thread, site, pointer, bytes, "read");
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

void checkSharedWrite(Thread &thread, const Site &site, const void *pointer,
                      uint32_t bytes) {
  SharedRange range = resolve(thread, site, pointer, bytes, "write");
  forEachGranule(range, [&](SharedShadow::Granule &granule, uint16_t mask,
                            uint32_t offset) {
    if (granule.inFlight & mask)
      fault(thread, site, "writes bytes at shared offset %u, but %s", offset,
            kInFlight);
    granule.written |= mask;
  });
  raceCheckWrite(thread, site, range, /*stampIt=*/true);
}

static void notePoisonedRead(Thread &thread, const Site &site, uint32_t offset,
                             const char *reason) {
  Worker &worker = *thread.worker;
  if (worker.poisonedReads++ == 0)
    worker.firstPoisonedRead =
        describe(thread, site, "reads bytes at shared offset %u, but %s",
                 offset, reason);
}

const std::byte *readOperandRow(Thread &thread, const Site &site,
                                const std::byte *pointer) {
  alignas(16) static constexpr uint64_t nanRow[2] = {~uint64_t(0),
                                                     ~uint64_t(0)};
  SharedRange range = resolve(thread, site, pointer, kGranuleBytes, "read");
  uint32_t where = 0;
  if (const char *reason = invalidReason(range, where)) {
    if (thread.worker->options().invalidOperands == InvalidOperands::Fault)
      fault(thread, site, "reads bytes at shared offset %u, but %s", where,
            reason);
    notePoisonedRead(thread, site, where, reason);
    return reinterpret_cast<const std::byte *>(nanRow);
  }
  raceCheckRead(thread, site, range);
  return pointer;
}

//===----------------------------------------------------------------------===//
// Asynchronous writes
//===----------------------------------------------------------------------===//

void beginAsyncWrite(Thread &thread, const Site &site, const void *pointer,
                     uint32_t bytes) {
  SharedRange range = resolve(thread, site, pointer, bytes, "copy");
  forEachGranule(range, [&](SharedShadow::Granule &granule, uint16_t mask,
                            uint32_t offset) {
    if (granule.inFlight & mask)
      fault(thread, site,
            "copies to bytes at shared offset %u that another asynchronous "
            "copy is still writing",
            offset);
    granule.inFlight |= mask;
  });
  raceCheckWrite(thread, site, range, /*stampIt=*/false);
}

void endAsyncWrite(Thread &thread, const void *pointer, uint32_t bytes) {
  Cta &cta = *thread.worker->cluster.ctaOf(pointer);
  auto offset = uint32_t(static_cast<const std::byte *>(pointer) - cta.shared);
  SharedRange range{cta, offset, bytes};
  forEachGranule(range,
                 [](SharedShadow::Granule &granule, uint16_t mask, uint32_t) {
                   granule.inFlight &= ~mask;
                   granule.written |= mask;
                 });
  if (!thread.worker->options().detectRaces)
    return;
  AccessStamp stamp = thread.worker->cluster.clocks.stamp(thread.slot);
  for (uint32_t i = 0; i < bytes; i += kStampBytes)
    cta.shadow.access(offset + i)->writer = stamp;
}

} // namespace convmlir::emu
