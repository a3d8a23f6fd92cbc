//===- KernelCode.h - the code of lowered kernels ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a gpu.module of form F8. Output: the forms that a device or a person
// takes it in. Each can be had alone.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_KERNELCODE_H
#define CONV_COMPILER_KERNELCODE_H

#include "conv/Support/Result.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace mlir::conv {

/// The module as text in the nvvm and llvm dialects, in a builtin.module: what
/// the emulator runs.
std::string printKernels(gpu::GPUModuleOp kernels);

/// The text of LLVM's translation for the target.
struct TargetCode {
  std::string llvm; ///< LLVM IR after optimisation.
  std::string ptx;
};

/// Translates and optimises for a target such as "sm_90". The module stays as
/// it is.
convmlir::Result<TargetCode> generateTargetCode(gpu::GPUModuleOp kernels,
                                                const std::string &target);

} // namespace mlir::conv

#endif // CONV_COMPILER_KERNELCODE_H
