//===- MmaOps.cpp - mma.sync ----------------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MmaOps.h.
//
//===----------------------------------------------------------------------===//

#include "MmaOps.h"
#include "MmaKernel.h"
#include "Runtime/Machine/Rendezvous.h"

namespace convmlir::emu {

void multiplyBatch(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const MmaSite &>(*base);
  rendezvous(*thread, site, kFullMask, [&](Warp &warp) {
    Worker &worker = *warp.cta->worker;
    runMmaBatch(site, warp.mailboxes, worker.launch->mailboxBytes);
    worker.counters.mmaInstructions += site.products.size();
    worker.counters.mmaFlops +=
        uint64_t(2) * site.m() * kMmaN * site.k * site.products.size();
  });
}

} // namespace convmlir::emu
