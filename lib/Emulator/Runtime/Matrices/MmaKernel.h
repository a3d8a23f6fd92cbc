//===- MmaKernel.h - arithmetic of mma.sync ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loops of the emulator: fragments in registers of 32 lanes to
// matrices, products, and back.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_MMAKERNEL_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_MMAKERNEL_H

#include "MmaOps.h"

namespace convmlir::emu {

/// What the loops are compiled for.
enum class InstructionSet { Baseline, AVX2 };

/// The best one that this CPU has.
InstructionSet bestInstructionSet();

/// Runs a batch on the mailboxes of a warp, `stride` bytes apart.
void runMmaBatch(const MmaSite &site, std::byte *mailboxes, size_t stride,
                 InstructionSet instructions = bestInstructionSet());

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_MMAKERNEL_H
