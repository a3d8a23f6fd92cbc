//===- HopperSchedule.h - schedules with TMA and wgmma ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#ifndef CONV_SCHEDULE_HOPPERSCHEDULE_H
#define CONV_SCHEDULE_HOPPERSCHEDULE_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Why wgmma multiplies no factors by an algorithm, or of an operation; empty
/// if it does.
std::string whyNoWgmma(Algorithm algorithm);
std::string whyNoWgmma(const GemmShape &gemm);

/// Blocks of gemm-k of a tile of the longest phase, for all of its taps.
int64_t countBlocks(ScheduleAttr schedule, const GemmShape &gemm);

/// Which shape rule of wgmma with swapped operands a schedule breaks, and which
/// operations have no such kernel (SwappedSchedule.cpp); empty if it is legal.
std::string whyIllegalSwapped(ScheduleAttr schedule, const GemmShape &gemm);
/// Columns of an instruction: filters, or positions where operands are swapped,
/// with the lines of padding among them. Of a legal schedule.
int64_t getInstructionColumns(ScheduleAttr schedule, const GemmShape &gemm);
/// Why TMA cannot store the result's tiles with swapped operands.
std::string whyNoSwappedStore(ConvOpInterface op, ScheduleAttr schedule);

/// Which limit a schedule that names TMA or wgmma breaks; empty if it is legal.
std::string whyIllegalOnHopper(ScheduleAttr schedule, const GemmShape &gemm,
                               const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_HOPPERSCHEDULE_H
