//===- VectorClock.h - which accesses are ordered ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks of the threads of a cluster: thread a knows of thread b's work
// up to b's epoch clock_a[b]. A release publishes what a thread knows and
// starts its next epoch; an acquire learns what was published. Two accesses are
// ordered when the later thread knows the epoch of the earlier access, in
// whatever order the fibers happened to run.
//
// Slots beyond the threads stand for engines that work on their own: bulk
// copies and the tensor cores of each warpgroup. An engine learns nothing; a
// barrier of all threads passes on what they know of it, not what it has done.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MEMORY_VECTORCLOCK_H
#define CONV_LIB_EMULATOR_RUNTIME_MEMORY_VECTORCLOCK_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convmlir::emu {

/// Who made an access, and when. Epoch 0 is never newer than anything.
struct AccessStamp {
  uint32_t slot = 0;
  uint32_t epoch = 0;
};

/// What a barrier collects from the threads that arrive; empty means nothing.
using ClockSum = std::vector<uint32_t>;

class VectorClocks {
public:
  /// Starts over with `threads` threads that know nothing of each other,
  /// followed by `engines` engines.
  void reset(uint32_t threads, uint32_t engines = 0);

  AccessStamp stamp(uint32_t slot) const { return {slot, epochs[slot]}; }

  /// Whether `slot` knows of the access.
  bool ordered(uint32_t slot, AccessStamp access) const {
    return access.slot == slot || access.epoch <= known[slot][access.slot];
  }

  void release(uint32_t slot, ClockSum &sum);
  void acquire(uint32_t slot, const ClockSum &sum);

  /// Adds what was released to `sum` to another.
  void join(const ClockSum &sum, ClockSum &into) const;
  /// What `slot` knows now, and whether such knowledge has an access.
  ClockSum getKnown(uint32_t slot) const {
    return ClockSum(known[slot], known[slot] + slots);
  }
  static bool has(const ClockSum &sum, AccessStamp access) {
    return !sum.empty() && access.epoch <= sum[access.slot];
  }

  /// Publishes what an engine has done so far, and starts its next epoch.
  void signal(uint32_t engine, ClockSum &sum);
  /// Starts the next epoch of an engine.
  void advance(uint32_t engine) { ++epochs[engine]; }
  /// Lets `slot` know of an access.
  void learn(uint32_t slot, AccessStamp access);

  /// Release and acquire of every thread at once, in time linear in their
  /// number.
  void synchroniseAll();

private:
  /// The private knowledge of a slot, made from the common one if need be.
  uint32_t *ownRow(uint32_t slot);

  uint32_t slots = 0;
  uint32_t threads = 0;
  /// Own epoch of each slot, at least 1.
  std::vector<uint32_t> epochs;
  /// What everybody knew at the last synchroniseAll.
  std::vector<uint32_t> common;
  /// Private knowledge of each slot, used after its first acquire.
  std::vector<uint32_t> rows;
  /// Points to `common` or to the private row of the slot.
  std::vector<const uint32_t *> known;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MEMORY_VECTORCLOCK_H
