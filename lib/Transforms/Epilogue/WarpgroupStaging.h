//===- WarpgroupStaging.h - where warpgroups stage results ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warpgroup writes parts of the result's tile to a place of its own, from
// which TMA stores them while the next tile is multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_WARPGROUPSTAGING_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_WARPGROUPSTAGING_H

#include "TensorCores/TileDistribution.h"

namespace mlir::conv {

/// The calling warpgroup's place of `rows` x `columns` elements, allocated at
/// the start of the kernel, and rows behind it where the schedule has scratch.
Value createStaging(TileDistribution &distribution, Location loc, int64_t rows,
                    int64_t columns, Type elementType);

/// The last store of this warpgroup has read its place. Threads that started
/// none do not wait.
void awaitStagedReads(OpBuilder &builder, Location loc,
                      TileDistribution &distribution);

/// What the warpgroup wrote is there for TMA.
void publishStaged(OpBuilder &builder, Location loc,
                   TileDistribution &distribution);

/// The kernel does not end before its stores.
void awaitStoresAtEnd(gpu::GPUFuncOp func);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_WARPGROUPSTAGING_H
