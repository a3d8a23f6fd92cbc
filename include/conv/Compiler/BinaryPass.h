//===- BinaryPass.h - kernels to code of a target ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_BINARYPASS_H
#define CONV_COMPILER_BINARYPASS_H

namespace mlir::conv {

/// Makes `conv-nvvm-to-binary` known on the command line, F8 to F9.
void registerNvvmToBinaryPass();

} // namespace mlir::conv

#endif // CONV_COMPILER_BINARYPASS_H
