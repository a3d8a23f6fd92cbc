//===- TunedSchedules.h - schedules from tuning records ------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_TUNING_TUNEDSCHEDULES_H
#define CONV_LIB_COMPILER_TUNING_TUNEDSCHEDULES_H

#include "conv/Chip/Chip.h"
#include "conv/Compiler/Compiler.h"

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Tuning/TuningRecords.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::conv {

using convmlir::ChipInfo;

/// The schedule that a record's text names for a prepared convolution; null,
/// with the reason, where it cannot be used. What the text leaves out is as the
/// model has it.
ScheduleAttr readTunedSchedule(ConvOpInterface op, const std::string &text,
                               const ChipInfo &chip, std::string &why);

/// Notes at each convolution of form F0 which problem it is: records are of
/// what the user wrote, schedules of what is prepared (Pipelines.h).
void nameTuningProblems(ModuleOp module);

/// An operation and the schedule that a record gave it.
struct TunedOperation {
  ConvOpInterface op;
  ScheduleAttr schedule;
  convmlir::TuningMatch match;
};

/// Gives each prepared convolution that has no schedule the one that the
/// records of its problem name, so that selection finds it there, and takes the
/// notes away. A record that cannot be used is a warning.
SmallVector<TunedOperation>
applyTuning(ModuleOp module, const convmlir::CompileOptions &options);

/// Tells the caller which records are used: those whose schedules are still
/// there. That others are not is a warning, which says `why`.
void reportTuning(ArrayRef<TunedOperation> tuned,
                  const convmlir::CompileOptions &options,
                  const std::string &why);

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_TUNING_TUNEDSCHEDULES_H
