//===- WmmaFactors.h - factors of wmma rounded to tf32 ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_WMMAFACTORS_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_WMMAFACTORS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// Rounds what `nvvm.wmma.mma` multiplies as tf32, ties away from zero.
void roundWmmaFactors(gpu::GPUModuleOp module);

} // namespace mlir::conv

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_WMMAFACTORS_H
