//===- TiedWaits.h - wgmma waits as inline assembly -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait for wgmma that names the accumulators: inline assembly whose f32
// outputs are tied to inputs, so that the compiler cannot move reads above it.
//
//   %r = llvm.inline_asm "wgmma.wait_group.sync.aligned N;", "=f,…,0,…" %e0, …
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_TIEDWAITS_H
#define CONV_LIB_EMULATOR_LOWERING_TIEDWAITS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <optional>

namespace mlir::conv::emulator {

/// The number of groups of such a wait, if the op is one.
std::optional<unsigned> matchTiedWait(LLVM::InlineAsmOp op);

/// Turns the tied waits of a kernel into nvvm.wgmma.wait.group.sync.aligned
/// followed by the extraction of the elements.
void untieWaits(LLVM::LLVMFuncOp kernel);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_TIEDWAITS_H
