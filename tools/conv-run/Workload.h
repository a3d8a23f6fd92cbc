//===- Workload.h - what is compiled, run and verified ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_WORKLOAD_H
#define CONV_TOOLS_CONV_RUN_WORKLOAD_H

#include "CommandLine.h"
#include "conv/Compiler/SourceModule.h"
#include "conv/Runtime/Plan.h"
#include "conv/Runtime/Tensor.h"

#include <memory>
#include <optional>
#include <vector>

namespace convmlir {

/// The source of a run: a module (of a problem or a file), or a plan.
struct Workload {
  std::unique_ptr<SourceModule> source; ///< Null for a plan.
  std::optional<Plan> plan;             ///< Of the file, or compiled later.
  std::optional<Problem> problem;       ///< Where it is exactly one.

  std::vector<TensorSpec> arguments, results;
  std::vector<Tensor> inputs; ///< The arguments' values.
};

/// Reads the file or the problem text. Failures are bad input.
Result<Workload> loadWorkload(const CommandLine &line);

/// Checks that there is memory for what the run has not made yet.
Status checkMemory(const CommandLine &line, const Workload &workload,
                   bool isEmulated);

/// Parses the inputs and makes or reads their values.
Status loadInputs(const CommandLine &line, Workload &workload);

/// Checks the outputs before anything is computed.
Status checkOutputs(const CommandLine &line, const Workload &workload);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_WORKLOAD_H
