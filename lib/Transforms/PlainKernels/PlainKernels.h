//===- PlainKernels.h - what marks a plain kernel ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain kernel computes without tensor cores and without shared memory: its
// threads share nothing, but for sums over neighbouring lanes. On tensors and
// buffers it is an scf.forall of which every index is a thread of the grid,
// mapped to #gpu.thread<linear_dim_…>; once outlined, a gpu.func with the
// attribute `conv.plain`.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_PLAINKERNELS_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_PLAINKERNELS_H

#include "conv/Schedule/Shape/Accesses.h"
#include "conv/Schedule/Shape/PlainOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// Threads of a workgroup of a plain kernel. Those of depthwise sums, which
/// have many registers, are fewer: half a multiprocessor does not wait for one
/// that ends.
inline constexpr int64_t kPlainThreads = 256, kDepthwiseThreads = 128;

/// Whether the indices of the loop are threads of the grid.
bool isPlainBlock(scf::ForallOp block);

/// All such loops in `root`, in their order.
SmallVector<scf::ForallOp> getPlainBlocks(Operation *root);

/// The mapping of such a loop with `rank` indices, the last one fastest. There
/// can be at most kMaxPlainRank.
SmallVector<Attribute> getPlainMapping(MLIRContext *context, size_t rank);
inline constexpr size_t kMaxPlainRank = 10;

/// Marks a kernel, and tells whether one is marked.
void setPlainKernel(gpu::GPUFuncOp kernel);
bool isPlainKernel(gpu::GPUFuncOp kernel);

/// How many of `extent` neighbouring elements a thread takes: as many as an
/// access holds of the narrowest of the `types`, or the largest power of two
/// below that which divides the extent.
int64_t getPlainWidth(int64_t extent, TypeRange types);

/// Neighbours from `first` on in the widest access that is aligned there and
/// ends at `end` or before: a power of two up to `divisor`, which is one and
/// divides the index of neighbour 0.
int64_t getAlignedWidth(int64_t first, int64_t end, int64_t divisor);

/// Whether `op` reads elements of tensors at positions that it computes.
bool isGather(Operation *op);
/// And whether its rows are whole accesses, too: then it is cheaper where few
/// of its loops are those of vectors.
bool isRowGather(linalg::LinalgOp op);

/// Whether it is read in a reduction: then it is a kernel of its own, since
/// upstream gathers along the last loop only.
bool isSummedGather(Operation *op);

/// Whether it computes new elements from those in their places.
bool updatesDestination(Operation *op);

/// Whether it stores the sums of a `conv.depthwise`, and what it computes of
/// them: the root of a kernel.
bool readsDepthwise(Operation *op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_PLAINKERNELS_H
