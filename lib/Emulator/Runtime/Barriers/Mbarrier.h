//===- Mbarrier.h - mbarrier objects ----------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the mbarrier objects of a workgroup. On the device it is an
// opaque word of shared memory; here it is kept beside it, and the shadow knows
// which bytes nothing else may touch.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_BARRIERS_MBARRIER_H
#define CONV_LIB_EMULATOR_RUNTIME_BARRIERS_MBARRIER_H

#include "Runtime/Memory/VectorClock.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace convmlir::emu {

struct Site;
struct Thread;
struct Worker;

/// Largest arrival count and largest transaction count of a phase.
inline constexpr uint32_t kMbarrierMaxCount = (1u << 20) - 1;

struct Mbarrier {
  /// Where it is: the workgroup's rank in the cluster and the shared offset.
  uint32_t rank = 0;
  uint32_t offset = 0;
  bool valid = false;
  /// Arrivals of a phase, and those that its current phase still waits for.
  uint32_t expected = 0;
  uint32_t pending = 0;
  /// Bytes that the current phase still waits for; negative if more came than
  /// were announced so far.
  int64_t transactions = 0;
  /// Phases that are complete.
  uint64_t phase = 0;
  /// Whether its initialisation is visible to the async proxy.
  bool fenced = false;
  AccessStamp initialised;
  /// What the arrivals of the current and of the last phase publish.
  ClockSum arriving;
  ClockSum completed;
  /// Threads that are blocked until the current phase completes.
  std::vector<Thread *> waiters;

  uint32_t parity() const { return phase & 1; }
};

/// The objects of a workgroup, by shared offset. An object keeps its address
/// until the table is cleared.
class MbarrierTable {
public:
  void clear() { objects.clear(); }
  Mbarrier &at(uint32_t offset) { return objects[offset]; }
  Mbarrier *find(uint32_t offset) {
    auto found = objects.find(offset);
    return found == objects.end() || !found->second.valid ? nullptr
                                                          : &found->second;
  }

private:
  std::unordered_map<uint32_t, Mbarrier> objects;
};

/// The valid object at an address, or a fault. Unless `anyWorkgroup`, it must
/// be the thread's own workgroup's. Faults, too, if no barrier orders its
/// initialisation before the thread.
Mbarrier &mbarrierAt(Thread &thread, const Site &site, const void *pointer,
                     bool anyWorkgroup);

/// Counts arrivals and transactions (announced: positive, completed: negative),
/// completes the phase if nothing is missing, and wakes who waits for it.
void updateMbarrier(Thread &thread, const Site &site, Mbarrier &object,
                    uint32_t arrivals, int64_t transactions);

/// "mbarrier at shared offset N: phase P, A of E arrivals and T bytes missing".
std::string describeMbarrier(const Mbarrier &object);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_BARRIERS_MBARRIER_H
