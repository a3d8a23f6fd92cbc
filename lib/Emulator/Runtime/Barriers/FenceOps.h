//===- FenceOps.h - fences between proxies ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fence.proxy.async makes what a thread wrote through the generic proxy visible
// to bulk copies and wgmma; fence.mbarrier_init does so for the mbarrier
// objects that it initialised.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_BARRIERS_FENCEOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_BARRIERS_FENCEOPS_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// Kernels run one after the other: those in front are done.
void waitForGrids(Thread *thread, const Site *site, std::byte *mailbox);

/// A fence of memory, which does nothing but turn relaxed arrivals at the
/// cluster's barrier into releases.
void fenceMemory(Thread *thread, const Site *site, std::byte *mailbox);

void fenceAsyncProxy(Thread *thread, const Site *site, std::byte *mailbox);
void fenceMbarrierInit(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_BARRIERS_FENCEOPS_H
