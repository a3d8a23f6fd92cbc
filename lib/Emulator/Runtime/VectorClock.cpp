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

static void joinInto(uint32_t *into, const uint32_t *from, uint32_t slots) {
  for (uint32_t i = 0; i < slots; ++i)
    into[i] = std::max(into[i], from[i]);
}

void VectorClocks::reset(uint32_t slotCount) {
  slots = slotCount;
  epochs.assign(slots, 1);
  common.assign(slots, 0);
  rows.resize(size_t(slots) * slots);
  known.assign(slots, common.data());
}

void VectorClocks::release(uint32_t slot, ClockSum &sum) {
  if (sum.empty())
    sum.assign(known[slot], known[slot] + slots);
  else
    joinInto(sum.data(), known[slot], slots);
  sum[slot] = std::max(sum[slot], epochs[slot]);
  ++epochs[slot];
}

void VectorClocks::acquire(uint32_t slot, const ClockSum &sum) {
  if (sum.empty())
    return;
  uint32_t *row = privateRow(slot);
  if (known[slot] != row)
    std::copy_n(known[slot], slots, row);
  known[slot] = row;
  joinInto(row, sum.data(), slots);
}

void VectorClocks::synchroniseAll() {
  // Nobody knows more of a slot than the slot itself, so the join of all clocks
  // is the vector of own epochs.
  common = epochs;
  for (uint32_t &epoch : epochs)
    ++epoch;
  std::fill(known.begin(), known.end(), common.data());
}

} // namespace convmlir::emu
