//===- Workload.cpp - what is compiled, run and verified ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workload.h"
#include "Support/Memory.h"
#include "Support/OutputFiles.h"
#include "Support/PlanText.h"
#include "Verify.h"
#include "conv/Runtime/PlanFile.h"
#include "conv/Runtime/TensorInput.h"

namespace convmlir {

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static Result<Workload> loadPlan(const std::string &path) {
  Result<Plan> plan = readPlan(path);
  if (!plan)
    return plan.takeError();
  Workload workload;
  // A plan that was compiled from a file describes that instead.
  if (Result<Problem> problem = parseProblem(plan->problem))
    workload.problem = *problem;
  workload.arguments = specsOf(*plan, BufferRole::Argument);
  workload.results = specsOf(*plan, BufferRole::Result);
  workload.plan = std::move(*plan);
  return workload;
}

static Result<std::unique_ptr<SourceModule>>
loadSource(const CommandLine &line) {
  if (line.problem.empty())
    return SourceModule::fromFile(line.file, line.entry,
                                  line.precision.value_or(Precision::More),
                                  line.reference);
  Result<Problem> problem = parseProblem(line.problem);
  if (!problem)
    return Error{"--problem: " + problem.error()};
  return SourceModule::fromProblem(*problem);
}

Result<Workload> loadWorkload(const CommandLine &line) {
  if (line.isPlan())
    return loadPlan(line.file);
  Result<std::unique_ptr<SourceModule>> source = loadSource(line);
  if (!source)
    return source.takeError();
  Workload workload;
  workload.source = std::move(*source);
  workload.problem = workload.source->problem();
  workload.arguments = workload.source->arguments();
  workload.results = workload.source->results();
  return workload;
}

static Error wrongCount(const char *option, size_t given,
                        const std::vector<TensorSpec> &specs) {
  std::string names;
  for (const TensorSpec &spec : specs)
    names += (names.empty() ? "" : ", ") + spec.name;
  return Error{std::string(option) + ": expected at most " +
               std::to_string(specs.size()) + " (" + names + "), got " +
               std::to_string(given)};
}

/// Bytes of the plan's buffers that are neither arguments nor results.
static double workspaceBytes(const Plan &plan) {
  double sum = 0;
  for (const PlanBuffer &buffer : plan.buffers)
    if (buffer.role != BufferRole::Argument &&
        buffer.role != BufferRole::Result)
      sum += static_cast<double>(buffer.bytes());
  return sum;
}

Status checkMemory(const CommandLine &line, const Workload &workload,
                   bool isEmulated) {
  MemoryUse use;
  use.isEmulated = isEmulated;
  if (workload.plan)
    use.workspaceBytes = workspaceBytes(*workload.plan);
  if (line.verify)
    use.reference = referenceUse(workload, *line.verify);
  double needed = bytesHeld(workload.arguments, workload.results, use);
  if (!workload.inputs.empty())
    needed -= bytesOf(workload.arguments);
  return checkMemory(needed, bytesAvailable());
}

Status loadInputs(const CommandLine &line, Workload &workload) {
  bool isEmulated = line.device.starts_with("emulator");
  if (Status status = checkMemory(line, workload, isEmulated); !status)
    return status;
  if (line.inputs.size() > workload.arguments.size())
    return wrongCount("--input", line.inputs.size(), workload.arguments);
  for (size_t i = 0; i < workload.arguments.size(); ++i) {
    const TensorSpec &spec = workload.arguments[i];
    Result<InputSpec> input =
        parseInputSpec(i < line.inputs.size() ? line.inputs[i] : "random");
    if (!input)
      return Error{"--input: " + input.error()};
    Result<Tensor> tensor =
        makeInput(*input, *parseElementType(spec.type), spec.shape, i + 1);
    if (!tensor)
      return Error{"--input for " + spec.name + ": " + tensor.error()};
    workload.inputs.push_back(std::move(*tensor));
  }
  return {};
}

Status checkOutputs(const CommandLine &line, const Workload &workload) {
  if (line.outputs.size() > workload.results.size())
    return wrongCount("--output", line.outputs.size(), workload.results);
  if (Status status = checkOutputPaths(line.outputs); !status)
    return status;
  if (line.emit && line.emitPath != "-")
    return checkOutputPath(line.emitPath);
  return {};
}

} // namespace convmlir
