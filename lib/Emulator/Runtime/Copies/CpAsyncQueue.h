//===- CpAsyncQueue.h - cp.async copies of one thread -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The asynchronous copies that a thread has issued and not waited for, in
// committed groups.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_COPIES_CPASYNCQUEUE_H
#define CONV_LIB_EMULATOR_RUNTIME_COPIES_CPASYNCQUEUE_H

#include "GroupQueue.h"
#include "Runtime/Memory/VectorClock.h"

#include <cstddef>
#include <cstdint>

namespace convmlir::emu {

struct Site;
struct Thread;

/// One cp.async: `validBytes` come from the source, the rest is zero.
struct CpAsyncCopy {
  std::byte *destination;
  const std::byte *source;
  uint16_t bytes;
  uint16_t validBytes;
  const Site *site;
};

using CpAsyncQueue = GroupQueue<CpAsyncCopy>;

/// Copies that an mbarrier of the thread's workgroup tracks: it gets an arrival
/// when they have landed. The arrival publishes what the thread knew when it
/// asked for it.
struct TrackedCopies {
  Thread *thread = nullptr;
  const Site *site = nullptr;
  uint32_t mbarrier = 0; ///< Its shared offset.
  std::vector<CpAsyncCopy> copies;
  AccessStamp stamp;
  ClockSum clock;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_COPIES_CPASYNCQUEUE_H
