//===- Tuning.h - what a tuner asks the compiler -------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a function to tune. Output: the problems that records name, and the
// schedules that are worth timing for each. No MLIR header is needed to use it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_TUNING_H
#define CONV_COMPILER_TUNING_H

#include "conv/Chip/Chip.h"
#include "conv/Compiler/SourceModule.h"

#include <string>
#include <vector>

namespace convmlir {

/// The convolutions of a function as tuning records name them: each with the
/// elementwise operations behind it as far as a problem can say them, each
/// once, in their order.
std::vector<Problem> tuningProblems(const SourceModule &source);

/// Up to `count` schedules of a problem for a target, complete, as --schedule
/// takes them. The first is what the compiler chooses without records; the
/// others follow as the model ranks them, and a quarter is for kernels of the
/// other matrix instruction where a target has two. The error says why the
/// problem has no kernel. `limits` is what is known of the device.
Result<std::vector<std::string>>
candidateSchedules(const Problem &problem, const std::string &target,
                   size_t count, const DeviceLimits &limits = {});

/// Whether a schedule, as a record names it, can compute the problem; the error
/// says why it cannot.
Status checkSchedule(const Problem &problem, const std::string &target,
                     const std::string &schedule,
                     const DeviceLimits &limits = {});

} // namespace convmlir

#endif // CONV_COMPILER_TUNING_H
