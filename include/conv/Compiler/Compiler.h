//===- Compiler.h - from a function to a plan -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a SourceModule and a target. Output: a plan, or what the compiler has
// at an earlier stage. No MLIR header is needed to use it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_COMPILER_H
#define CONV_COMPILER_COMPILER_H

#include "conv/Chip/Chip.h"
#include "conv/Compiler/SourceModule.h"
#include "conv/Runtime/Plan.h"
#include "conv/Support/Form.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

struct TuningMatch;
class TuningRecords;

struct CompileOptions {
  std::string target = "sm_80";
  /// What is known of the device: plans are made for so many multiprocessors.
  DeviceLimits limits;
  /// Keys that replace those of the chosen schedules: "tile=128x128x32
  /// stages=3".
  std::string schedule;
  /// The path of ptxas; empty: plans hold PTX, and no cubin.
  std::string ptxas;
  /// How long ptxas may take for a module: far more than it does.
  std::chrono::seconds ptxasLimit{600};
  /// Measured schedules, which come before the model's; null: there are none.
  std::shared_ptr<const TuningRecords> tuning;
  /// The name of the GPU that the code is for, "NVIDIA H200": records of others
  /// do not count. Empty: not known, all count.
  std::string device;
  /// Bytes of workspace that a launch may take; nothing: any number.
  std::optional<int64_t> maxWorkspace;
  /// Whether plans hold code for GPUs, or for the emulator only.
  bool targetCode = true;
  /// Whether registers that ptxas spills, and what it warns of as a loss of
  /// speed (C75xx), are errors.
  bool refuseFlaws = false;
  /// Called with the name of each step before it begins.
  std::function<void(const std::string &)> onStep;
  /// Called with what stops nothing: a tuning record that cannot be used, a
  /// C75xx message of ptxas.
  std::function<void(const std::string &)> onWarning;
  /// Called with every tuning record that is used.
  std::function<void(const TuningMatch &)> onTuned;
  /// Called with every problem that could have a record and has none: the model
  /// chooses its schedule. Not where `schedule` says something. The second
  /// argument names the devices that there are records of, none of which is
  /// `device`: "NVIDIA H200, NVIDIA L4".
  std::function<void(const std::string &, const std::string &)> onUntuned;
};

/// What compile() would refuse the problem with, found without compiling it:
/// its import and the choice of a schedule take some milliseconds. What ptxas
/// says of the code is not known before.
Status canImplement(const Problem &problem, const CompileOptions &options);

/// The targets that kernels can be compiled for (Chip.h): those whose kernels
/// use more engines later, the older ones first.
const std::vector<std::string> &supportedTargets();

/// The text of the module in a form. Errors carry the diagnostics of the pass
/// that failed, as in all functions here.
Result<std::string> emitModule(const SourceModule &source, Form form,
                               const CompileOptions &options);
/// LLVM IR of the kernels, optimised.
Result<std::string> emitLlvm(const SourceModule &source,
                             const CompileOptions &options);
Result<std::string> emitPtx(const SourceModule &source,
                            const CompileOptions &options);
/// Needs `ptxas`.
Result<Bytes> emitCubin(const SourceModule &source,
                        const CompileOptions &options);

/// The whole way. The plan is valid.
Result<Plan> compile(const SourceModule &source, const CompileOptions &options);

} // namespace convmlir

#endif // CONV_COMPILER_COMPILER_H
