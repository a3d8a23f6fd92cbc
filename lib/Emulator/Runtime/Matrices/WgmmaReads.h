//===- WgmmaReads.h - shared memory that wgmma reads ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of the operands of a wgmma when it is issued, and the reading itself.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_WGMMAREADS_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_WGMMAREADS_H

#include "WgmmaOps.h"

namespace convmlir::emu {

/// Checks the operands of a wgmma that `thread` is the last to issue, and marks
/// them as being read.
void beginReads(Thread &thread, Wgmma &product);

/// Finds the operands; what changed since it was issued reads as NaN.
void gatherOperands(Thread &thread, const Wgmma &product,
                    WgmmaOperands &operands);

/// The operands may be overwritten.
void endReads(Thread &thread, const Wgmma &product);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_WGMMAREADS_H
