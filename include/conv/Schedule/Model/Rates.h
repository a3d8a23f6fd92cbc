//===- Rates.h - rates that models of time share ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of Rates.def, and what several models make of them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_MODEL_RATES_H
#define CONV_SCHEDULE_MODEL_RATES_H

#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/Shape/KernelThreads.h"

namespace mlir::conv {

/// What was measured of the one chip that the models know.
namespace h200 {
#define CONV_RATE(Name, Value, Unit, Meaning)                                  \
  inline constexpr double Name = Value;
#include "conv/Schedule/Model/Rates.def"
} // namespace h200

/// Parts of a split gemm-k are f32; a second kernel adds them.
inline constexpr double kPartBytes = 4;
/// What memory moves at once, and threads of a warp.
inline constexpr double kSectorBytes = 32, kLanes = kWarpSize;

/// A tile's end: what its stores take, of results of so many bytes, and what
/// does not depend on its size.
double getStoreCycles(ScheduleAttr schedule, double resultBytes);

/// What the kernel takes that adds so many sums of parts.
double getSumCycles(double sums, const ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_MODEL_RATES_H
