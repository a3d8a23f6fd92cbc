//===- CheckSupported.h - refusing what is not known ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled kernels run in the host's process. So a module has nothing but what
// kernels of ours need, and is refused, before anything is compiled, where it
// has more: whatever would reach memory past the emulator's checks, run code
// that is not of the kernel, or end the host's code generator.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_CHECKS_CHECKSUPPORTED_H
#define CONV_LIB_EMULATOR_LOWERING_CHECKS_CHECKSUPPORTED_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::conv::emulator {

/// Whether the function is a kernel.
bool isKernel(LLVM::LLVMFuncOp function);

/// Emits an error on the first op of a device module that is neither a kernel,
/// a declaration nor a shared array.
LogicalResult checkModule(Operation *device);

/// Emits an error where an op has an alignment that no memory has.
LogicalResult checkAlignment(Operation *op);

/// Emits an error on the first op of a kernel that the emulator does not know.
LogicalResult checkSupported(LLVM::LLVMFuncOp kernel);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_CHECKS_CHECKSUPPORTED_H
