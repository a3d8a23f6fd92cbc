//===- TunedSchedules.h - schedules from tuning records ------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_TUNEDSCHEDULES_H
#define CONV_LIB_COMPILER_TUNEDSCHEDULES_H

#include "conv/Compiler/Compiler.h"

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::conv {

class ConvOpInterface;
struct ChipInfo;

/// The schedule that a record's text names for a prepared convolution; null,
/// with the reason, where it cannot be used. What the text leaves out is as the
/// model has it.
ScheduleAttr readTunedSchedule(ConvOpInterface op, const std::string &text,
                               const ChipInfo &chip, std::string &why);

/// Notes at each convolution of form F0 which problem it is: records are of
/// what the user wrote, schedules of what is prepared (Pipelines.h).
void nameTuningProblems(ModuleOp module);

/// Gives each prepared convolution that has no schedule the one that the
/// records of its problem name, so that selection finds it there, and takes the
/// notes away. A record that cannot be used is a warning.
void applyTuning(ModuleOp module, const convmlir::CompileOptions &options);

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_TUNEDSCHEDULES_H
