//===- FilterBands.h - depthwise images on tensor cores ------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_FILTERBANDS_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_FILTERBANDS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

class DepthwiseOp;

/// Replaces the conv.depthwise of a kernel whose workgroups multiply images
/// with filters as bands, and all that is computed and stored of its sums, by
/// what one thread does.
LogicalResult lowerFilterBands(gpu::GPUFuncOp kernel, DepthwiseOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_FILTERBANDS_H
