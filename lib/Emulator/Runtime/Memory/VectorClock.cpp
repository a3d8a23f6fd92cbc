//===- VectorClock.cpp - which accesses are ordered -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorClock.h.
//
//===----------------------------------------------------------------------===//

#include "VectorClock.h"

#include <algorithm>

namespace convmlir::emu {

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

[[gnu::always_inline]] static inline void
joinLoop(uint32_t *__restrict into, const uint32_t *__restrict from,
         uint32_t slots) {
  for (uint32_t i = 0; i < slots; ++i)
    into[i] = std::max(into[i], from[i]);
}

static void joinBaseline(uint32_t *into, const uint32_t *from, uint32_t slots) {
  joinLoop(into, from, slots);
}

/// The baseline has no unsigned vector maximum, and every thread that passes a
/// barrier joins a vector of all slots.
[[gnu::target("avx2")]] static void
joinAVX2(uint32_t *into, const uint32_t *from, uint32_t slots) {
  joinLoop(into, from, slots);
}

static void joinInto(uint32_t *into, const uint32_t *from, uint32_t slots) {
  static const bool wide = [] {
    __builtin_cpu_init();
    return bool(__builtin_cpu_supports("avx2"));
  }();
  (wide ? joinAVX2 : joinBaseline)(into, from, slots);
}

//===----------------------------------------------------------------------===//
// VectorClocks
//===----------------------------------------------------------------------===//

void VectorClocks::reset(uint32_t threadCount, uint32_t engines) {
  threads = threadCount;
  slots = threads + engines;
  epochs.assign(slots, 1);
  common.assign(slots, 0);
  rows.resize(size_t(threads) * slots);
  known.assign(threads, common.data());
}

uint32_t *VectorClocks::ownRow(uint32_t slot) {
  uint32_t *row = &rows[size_t(slot) * slots];
  if (known[slot] != row)
    std::copy_n(known[slot], slots, row);
  known[slot] = row;
  return row;
}

void VectorClocks::release(uint32_t slot, ClockSum &sum) {
  if (sum.empty())
    sum.assign(known[slot], known[slot] + slots);
  else
    joinInto(sum.data(), known[slot], slots);
  sum[slot] = std::max(sum[slot], epochs[slot]);
  ++epochs[slot];
}

void VectorClocks::join(const ClockSum &sum, ClockSum &into) const {
  if (into.empty())
    into = sum;
  else
    joinInto(into.data(), sum.data(), slots);
}

void VectorClocks::acquire(uint32_t slot, const ClockSum &sum) {
  if (!sum.empty())
    joinInto(ownRow(slot), sum.data(), slots);
}

void VectorClocks::signal(uint32_t engine, ClockSum &sum) {
  if (sum.empty())
    sum.assign(slots, 0);
  sum[engine] = epochs[engine]++;
}

void VectorClocks::learn(uint32_t slot, AccessStamp access) {
  uint32_t &epoch = ownRow(slot)[access.slot];
  epoch = std::max(epoch, access.epoch);
}

void VectorClocks::synchroniseAll() {
  // Nobody knows more of a thread than the thread itself, so the join of all
  // clocks is the vector of own epochs; of engines, the most that any knows.
  std::vector<uint32_t> joined(epochs.begin(), epochs.begin() + threads);
  joined.resize(slots, 0);
  for (const uint32_t *row : known)
    joinInto(joined.data() + threads, row + threads, slots - threads);
  common = joined;
  for (uint32_t slot = 0; slot < threads; ++slot)
    ++epochs[slot];
  std::fill(known.begin(), known.end(), common.data());
}

} // namespace convmlir::emu
