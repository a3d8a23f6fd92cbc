//===- BarrierOps.h - the named barriers of a workgroup ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// barrier.sync (with and without reduction) and barrier.arrive, all `.aligned`:
// every lane of a warp executes the same one, so barriers count warps.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_BARRIERS_BARRIEROPS_H
#define CONV_LIB_EMULATOR_RUNTIME_BARRIERS_BARRIEROPS_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// Operands, those that are present in this order: i32 barrier, i32 number of
/// threads, i32 predicate of a reduction. Result of a reduction: i32.
struct BarrierSite : Site {
  bool hasId = false;
  bool hasThreads = false;
  BarrierReduction reduction = BarrierReduction::None;
  /// barrier.arrive: goes on at once.
  bool arriveOnly = false;
};

void barrier(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_BARRIERS_BARRIEROPS_H
