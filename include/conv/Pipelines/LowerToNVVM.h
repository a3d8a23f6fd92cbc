//===- LowerToNVVM.h - threads to nvvm --------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINES_LOWERTONVVM_H
#define CONV_PIPELINES_LOWERTONVVM_H

namespace mlir {
class OpPassManager;
namespace conv {

/// F7 to F8 on every gpu.module of a module: `conv-lower-to-nvvm`.
void buildLowerToNVVMPipeline(OpPassManager &pm);

/// Makes `conv-lower-to-nvvm` known by name.
void registerLowerToNVVMPipeline();

} // namespace conv
} // namespace mlir

#endif // CONV_PIPELINES_LOWERTONVVM_H
