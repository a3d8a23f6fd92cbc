//===- TrapOps.h - kernels that end themselves ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_TRAPOPS_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_TRAPOPS_H

#include "Machine.h"

namespace convmlir::emu {

/// A trap of the kernel's own.
void trap(Thread *thread, const Site *site, std::byte *mailbox);

/// Code that the kernel says is never reached: the host would run on into
/// whatever lies behind it.
void reachUnreachable(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_TRAPOPS_H
