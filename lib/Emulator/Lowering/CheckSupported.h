//===- CheckSupported.h - refusing what is not known ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds ops that the emulator cannot run, before anything is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_CHECKSUPPORTED_H
#define CONV_LIB_EMULATOR_LOWERING_CHECKSUPPORTED_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::conv::emulator {

/// Emits an error on the first op of a kernel that the emulator does not know.
LogicalResult checkSupported(LLVM::LLVMFuncOp kernel);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_CHECKSUPPORTED_H
