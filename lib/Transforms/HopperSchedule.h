//===- HopperSchedule.h - schedules with TMA and wgmma ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#ifndef CONV_LIB_TRANSFORMS_HOPPERSCHEDULE_H
#define CONV_LIB_TRANSFORMS_HOPPERSCHEDULE_H

#include "conv/Transforms/Schedule.h"

namespace mlir::conv {

/// Shared memory that the barriers of the ring take: tiles begin at the next
/// multiple of as much.
inline constexpr int64_t kBarrierBytes = 1024;

/// Why gemm-k cannot be divided as the schedule says; empty if it can.
std::string whyTooManyParts(ScheduleAttr schedule, const GemmShape &gemm);

/// Which rule of mma.sync and fma for tiles and sums the schedule breaks.
std::string whyIllegalMmaSyncShape(ScheduleAttr schedule,
                                   const GemmShape &gemm);

/// Why wgmma multiplies no factors by an algorithm, or of an operation; empty
/// if it does.
std::string whyNoWgmma(Algorithm algorithm);
std::string whyNoWgmma(const GemmShape &gemm);

/// Registers of a thread for each of its sums. Those of 8-bit floats are kept
/// beside the sums of a block (WarpgroupContraction.cpp).
int64_t getRegistersPerSum(const GemmShape &gemm);

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

/// Shared memory of a workgroup: the rings, what is staged of the result's
/// tile, barriers.
int64_t getHopperSharedBytes(ScheduleAttr schedule, const GemmShape &gemm);
/// The same of a kernel without windows, by the bytes of an element of the
/// operands and of the result.
int64_t getTileSharedBytes(ScheduleAttr schedule, int64_t factorBytes,
                           int64_t resultBytes);

/// Whether all tiles of a workgroup have the same columns: tiles along gemm-n
/// come first, and a workgroup steps by the number of workgroups.
bool keepsColumns(ScheduleAttr schedule, const GemmShape &gemm);
/// Whether all blocks of B, which is then the same for these tiles, stay in
/// shared memory beside a ring of tiles of A (TileOperands.cpp). Of a legal
/// schedule.
bool keepsRightOperand(ScheduleAttr schedule, const GemmShape &gemm);

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

/// Which shape rule of wgmma with swapped operands a schedule breaks, and which
/// operations have no such kernel (SwappedSchedule.cpp); empty if it is legal.
std::string whyIllegalSwapped(ScheduleAttr schedule, const GemmShape &gemm);
/// Columns of an instruction: filters, or positions where operands are swapped,
/// with the lines of padding among them. Of a legal schedule.
int64_t getInstructionColumns(ScheduleAttr schedule, const GemmShape &gemm);
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
/// Why TMA cannot store the result's tiles with swapped operands.
std::string whyNoSwappedStore(ConvOpInterface op, ScheduleAttr schedule);

/// Which limit a schedule that names TMA or wgmma breaks; empty if it is legal.
std::string whyIllegalOnHopper(ScheduleAttr schedule, const GemmShape &gemm,
                               const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_HOPPERSCHEDULE_H
