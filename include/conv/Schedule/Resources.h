//===- Resources.h - shared memory and registers of a kernel ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel with TMA and wgmma takes, by its schedule: what is staged of
// the result, rings of tiles, registers. Passes and legality size them alike.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_RESOURCES_H
#define CONV_SCHEDULE_RESOURCES_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Shared memory that the barriers of the ring take: tiles begin at the next
/// multiple of as much.
inline constexpr int64_t kBarrierBytes = 1024;

/// Registers of a thread for each of its sums. Those of 8-bit floats are kept
/// beside the sums of a block (WarpgroupContraction.cpp).
int64_t getRegistersPerSum(const GemmShape &gemm);

/// Rows of a tile that a warpgroup has; positions, where they are columns.
int64_t getWarpgroupRows(ScheduleAttr schedule);

/// What a warpgroup stages of its part of the result at a time: whole rows, or,
/// where the schedule stages less than the rows of an instruction, these rows
/// of an equal part of the columns.
int64_t getStagedRows(ScheduleAttr schedule);
int64_t getStagedColumns(ScheduleAttr schedule);
/// The times that it does so for one tile.
int64_t countStagedParts(ScheduleAttr schedule);
/// Rows behind those that a warpgroup stages: where operands are swapped, a
/// place for what each thread has of no position.
int64_t getScratchRows(ScheduleAttr schedule);
/// What all warpgroups stage, of elements of so many bytes, with scratch.
int64_t getStagedBytes(ScheduleAttr schedule, int64_t resultBytes);

/// Shared memory of a workgroup of a kernel without windows: the ring of tiles,
/// what is staged of the result, barriers. By the bytes of an element of the
/// operands and of the result; with so many tiles of B, by default those of
/// the ring.
int64_t getTileSharedBytes(ScheduleAttr schedule, int64_t factorBytes,
                           int64_t resultBytes);
int64_t getTileSharedBytes(ScheduleAttr schedule, int64_t factorBytes,
                           int64_t resultBytes, int64_t blocksOfB);

/// Whether all tiles of a workgroup have the same columns: tiles along gemm-n
/// come first, and a workgroup steps by the number of workgroups.
bool keepsColumns(ScheduleAttr schedule, const GemmShape &gemm);

/// What each of the resident workgroups of a multiprocessor can have, in bytes
/// of shared memory. Without a chip, what they have on the fullest one: so
/// legality and the passes, which see a schedule and no chip, size rings alike.
int64_t getSharedBytesPerWorkgroup(ScheduleAttr schedule, const ChipInfo &chip);
int64_t getSharedBytesPerWorkgroup(ScheduleAttr schedule);

/// Which limit of workgroups that share a multiprocessor a schedule breaks,
/// whose workgroups have `shared` bytes and instructions of `columns` columns,
/// and whose threads have so many registers for each sum.
std::string whyNotResident(ScheduleAttr schedule, int64_t shared,
                           int64_t columns, const ChipInfo &chip,
                           int64_t registersPerSum = 1);

/// Images of which a tile has all positions, and a warpgroup 64 of so many
/// channels, which are one run of memory where channels come first: TMA stores
/// each (ImageStores.cpp). `positions` are those of an image, of the result if
/// rows are all of them in their order, else 0. 0 where a tile is something
/// else.
int64_t countWholeImages(ScheduleAttr schedule, int64_t positions,
                         int64_t channels, int64_t resultBytes);
int64_t countWholeImages(ScheduleAttr schedule, const GemmShape &gemm);
/// Lines of a tile of positions in a slot of a ring: whole groups of eight, or,
/// where positions are columns, whole panels.
int64_t getTileLines(ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_RESOURCES_H
