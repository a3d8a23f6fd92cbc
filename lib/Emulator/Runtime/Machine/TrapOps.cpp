//===- TrapOps.cpp - kernels that end themselves --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TrapOps.h.
//
//===----------------------------------------------------------------------===//

#include "TrapOps.h"
#include "Fault.h"

namespace convmlir::emu {

void trap(Thread *thread, const Site *site, std::byte *) {
  fault(*thread, *site, "the kernel stops itself");
}

void reachUnreachable(Thread *thread, const Site *site, std::byte *) {
  fault(*thread, *site, "is reached");
}

} // namespace convmlir::emu
