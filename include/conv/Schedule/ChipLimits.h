//===- ChipLimits.h - what a chip refuses -----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a schedule or a type, and a chip. Output: the engine or the limit of
// the chip that a kernel would need, as a sentence; empty if it has it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_CHIPLIMITS_H
#define CONV_SCHEDULE_CHIPLIMITS_H

#include "conv/Schedule/Schedule.h"

namespace mlir::conv {

/// Why kernels for the chip do not copy and multiply as the schedule says.
std::string whyNoEngine(ScheduleAttr schedule, const ChipInfo &chip);

/// Why they do not multiply 8-bit floats, if `type` is one.
std::string whyNoFloat8(Type type, const ChipInfo &chip);

/// Why a workgroup cannot have the threads of the schedule, on any chip.
std::string whyTooManyThreads(ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_CHIPLIMITS_H
