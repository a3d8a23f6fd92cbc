//===- DepthwiseBands.h - depthwise sums on tensor cores --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_DEPTHWISEBANDS_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_DEPTHWISEBANDS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// Replaces the conv.depthwise of a kernel whose workgroups multiply bands, and
/// the store of its sums, by what one thread does.
LogicalResult lowerDepthwiseBands(gpu::GPUFuncOp kernel);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_DEPTHWISEBANDS_H
