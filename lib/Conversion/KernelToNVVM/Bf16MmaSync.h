//===- Bf16MmaSync.h - nvgpu.mma.sync on bf16 -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_BF16MMASYNC_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_BF16MMASYNC_H

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
namespace conv {

/// Adds the conversion of `nvgpu.mma.sync` m16n8k16 from bf16 to f32.
void populateBf16MmaSyncPattern(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns);

} // namespace conv
} // namespace mlir

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_BF16MMASYNC_H
