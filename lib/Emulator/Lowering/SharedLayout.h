//===- SharedLayout.h - where shared globals lie ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places the shared-memory globals that a kernel uses: the static ones first,
// then the external array whose size the launch gives.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_SHAREDLAYOUT_H
#define CONV_LIB_EMULATOR_LOWERING_SHAREDLAYOUT_H

#include "KernelLowering.h"

namespace mlir::conv::emulator {

/// Replaces the addresses of shared globals in a kernel. Returns the bytes of
/// the static ones, up to the start of the dynamic one.
FailureOr<uint32_t> lowerSharedGlobals(KernelLowering &lowering);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_SHAREDLAYOUT_H
