//===- LaneSums.h - sums over lanes of a warp -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_LANESUMS_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_LANESUMS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// The sum of `sum`, numbers of 32 or 64 bits or a vector of them, over the
/// lanes whose numbers differ in bits from `first` to `lanes` / 2, powers of
/// two. A butterfly: in each step a lane adds what the lane has whose number
/// differs in one of them, so that all end with the same bits. `mask` names the
/// lanes of the warp that take part.
Value addOverLanes(OpBuilder &builder, Location loc, Value mask, Value sum,
                   int64_t first, int64_t lanes);

/// Adds f32 over neighbouring lanes of a warp by shuffles. Every lane gets the
/// same bits. Refuses reductions of another kind.
LogicalResult lowerLaneSum(gpu::SubgroupReduceOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_LANESUMS_H
