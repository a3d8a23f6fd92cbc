//===- Livelock.h - threads that run in circles -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that comes to a place in a loop with the same registers and
// variables as before, while nothing in memory has changed, comes there again
// and again. Where all threads of a cluster do so or are blocked, none ever
// ends.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_LIVELOCK_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_LIVELOCK_H

#include <cstdint>

namespace convmlir::emu {

struct Thread;

/// The search for a cycle in the states of one thread (R. P. Brent, "An
/// improved Monte Carlo factorization algorithm", BIT 20, 1980): the present
/// state is compared with one that is kept, which is replaced after 1, 2, 4, …
/// steps.
struct StateCycle {
  uint64_t kept = 0;
  /// Changes of memory when `kept` was taken.
  uint64_t changes = 0;
  uint64_t steps = 0;
  uint64_t stepsToKeep = 1;
  /// Changes of memory when a cycle was last found, or ~0.
  uint64_t foundAt = ~uint64_t(0);
};

/// Whether no thread of the cluster does anything but run in circles from here
/// on. A thread asks in its loops; its variables lie on its stack from `state`
/// on.
bool runsInCircles(Thread &thread, const void *state);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_LIVELOCK_H
