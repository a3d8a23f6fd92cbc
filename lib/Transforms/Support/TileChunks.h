//===- TileChunks.h - which thread moves which chunk of a tile --*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides the 16-byte chunks of a shared tile among the threads of a
// workgroup: consecutive threads take consecutive chunks of a row, so that a
// warp touches as few rows of the tensor as possible and no bank twice. The
// other ways of `reading` are there to be compared with this one.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_SUPPORT_TILECHUNKS_H
#define CONV_LIB_TRANSFORMS_SUPPORT_TILECHUNKS_H

#include "IndexMath.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Geometry/SharedTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// One chunk of a tile that a thread moves.
struct TileChunk {
  Value row;    ///< Row within the tile.
  Value column; ///< First column within the tile.
  Value shared; ///< Index in shared memory, the tile seen as one row.
  /// Rows below the thread's first chunk, of the same column; nothing where the
  /// columns differ.
  std::optional<int64_t> rowsBelowFirst;
  Value exists; ///< False for threads that are left over; null: always.
};

/// The chunks of `thread`; the same number for every thread.
SmallVector<TileChunk>
getThreadChunks(IndexMath &math, const convmlir::SharedTile &tile, Value thread,
                int64_t numThreads, ReadingKind reading = ReadingKind::Cyclic);

/// The shared tile that a memref or vector of this type is in a kernel with
/// this schedule, which may be null; its rows are the first dimension, its
/// columns the last.
convmlir::SharedTile getSharedTile(ShapedType type, ScheduleAttr schedule);

/// The schedule of a kernel; null where it has none.
ScheduleAttr findSchedule(gpu::GPUFuncOp func);

/// Whether threads of the kernel copy by `cp.async`; without a schedule they
/// may.
bool copiesAsync(gpu::GPUFuncOp func);

/// Ends the use of the operand tiles: no copy into them is on its way, and no
/// thread reads them any more.
void releaseOperandMemory(OpBuilder &builder, Location loc);

/// Threads of a workgroup, from the kernel's known block size; 0 if unknown.
int64_t getNumThreads(gpu::GPUFuncOp func);

/// The index of the thread, computed at the start of the kernel.
Value getThreadIndex(gpu::GPUFuncOp func);

/// The number of a thread among so many of a warpgroup that share out work:
/// whole warps, from the warpgroup's first on.
Value getSharingIndex(IndexMath &math, Value thread, int64_t threads);

/// The warps of the producer that share out the work of an operation. An error
/// on it where it does not say so.
FailureOr<int64_t> getSharingWarps(Operation *op);

/// All of a contiguous memref as one row of elements, made where the memref is
/// (for a tensor, above every loop).
Value getFlatView(Value memref);

/// Sets the insertion point to where `value` is known.
void setInsertionPointAfter(OpBuilder &builder, Value value);

/// Moves the insertion point to where `value`, which may be null, is known,
/// too. Both places come before one operation: one is further inside, or
/// further down.
void moveInsertionPointBehind(OpBuilder &builder, Value value);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_SUPPORT_TILECHUNKS_H
