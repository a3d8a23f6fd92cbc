//===- Launch.cpp - one run of conv-launch --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a plan, tensors and what its results should be. Output: a report, and
// the results as files.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Operands.h"
#include "Support/BenchmarkReport.h"
#include "Support/Memory.h"
#include "Support/Message.h"
#include "Support/OutputFiles.h"
#include "Support/PlanText.h"
#include "Support/TextFormat.h"
#include "Support/VerifyReport.h"
#include "conv/Reference/Compare.h"
#include "conv/Runtime/CudaDevice.h"
#include "conv/Runtime/DeviceRegistry.h"
#include "conv/Runtime/Executor.h"
#include "conv/Runtime/PlanFile.h"
#include "conv/Runtime/TensorInput.h"

#include <optional>
#include <utility>

namespace convmlir {

namespace {
/// The steps of a run, in order; each keeps what the next ones need.
class Run {
public:
  explicit Run(const CommandLine &line) : line(line) {}

  Outcome<LaunchReport> run();

private:
  Status prepare();
  Status checkTensors() const;
  Status loadInputs();
  Status loadExpected();
  Status assignOutputs();
  Ending openDevice();
  Ending execute();
  void verify();
  Status writeOutputs() const;
  Ending time();

  const CommandLine &line;
  Plan plan;
  std::vector<TensorSpec> arguments, resultSpecs;
  std::vector<Tensor> inputs;
  std::vector<std::optional<Tensor>> expected; ///< Per result.
  std::vector<std::string> outputs;            ///< Per result; empty: none.
  std::unique_ptr<Device> device;
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> results;
  LaunchReport report;
};
} // namespace

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

/// Arguments, results, and what is expected, once more as f64.
Status Run::checkTensors() const {
  MemoryUse use;
  use.reference =
      line.expected.empty() ? ReferenceUse::None : ReferenceUse::Full;
  return checkMemory(bytesHeld(arguments, resultSpecs, use), bytesAvailable());
}

static Result<Tensor> load(const std::string &option, const InputSpec &input,
                           const TensorSpec &spec, uint64_t seed) {
  Result<Tensor> tensor =
      makeInput(input, *parseElementType(spec.type), spec.shape, seed);
  if (!tensor)
    return Error{option + " for " + spec.name + ": " + tensor.error()};
  return tensor;
}

Status Run::loadInputs() {
  Result<std::vector<std::string>> given =
      assignToOperands("--input", line.inputs, arguments);
  if (!given)
    return given.takeError();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &text = (*given)[i];
    Result<InputSpec> input = parseInputSpec(text.empty() ? "random" : text);
    if (!input)
      return Error{"--input: " + input.error()};
    Result<Tensor> tensor = load("--input", *input, arguments[i], i + 1);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  return {};
}

static Result<InputSpec> parseStored(const std::string &text) {
  Result<InputSpec> input = parseInputSpec(text);
  if (!input || input->kind != InputSpec::Kind::File)
    return Error{"--expect: expected PATH.npy or PATH.npz:KEY, got '" + text +
                 "'"};
  return input;
}

Status Run::loadExpected() {
  Result<std::vector<std::string>> given =
      assignToOperands("--expect", line.expected, resultSpecs);
  if (!given)
    return given.takeError();
  expected.resize(resultSpecs.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    if ((*given)[i].empty())
      continue;
    Result<InputSpec> input = parseStored((*given)[i]);
    if (!input)
      return input.takeError();
    Result<Tensor> tensor = load("--expect", *input, resultSpecs[i], 0);
    if (!tensor)
      return tensor.takeError();
    expected[i] = std::move(*tensor);
  }
  return {};
}

Status Run::assignOutputs() {
  Result<std::vector<std::string>> given =
      assignToOperands("--output", line.outputs, resultSpecs);
  if (!given)
    return given.takeError();
  outputs = std::move(*given);
  std::vector<std::string> paths;
  for (const std::string &path : outputs)
    if (!path.empty())
      paths.push_back(path);
  return checkOutputPaths(paths);
}

Status Run::prepare() {
  Result<Plan> read = readPlan(line.file);
  if (!read)
    return read.takeError();
  plan = std::move(*read);
  if (line.describe)
    return {};
  arguments = specsOf(plan, BufferRole::Argument);
  resultSpecs = specsOf(plan, BufferRole::Result);
  if (Status status = assignOutputs(); !status)
    return status;
  if (Status status = checkTensors(); !status)
    return status;
  if (Status status = loadInputs(); !status)
    return status;
  return loadExpected();
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Ending Run::openDevice() {
  DeviceRegistry registry;
  registry.add("cuda", [](int64_t ordinal) { return openCudaDevice(ordinal); });
  Result<std::unique_ptr<Device>> opened = registry.open(line.device);
  if (!opened)
    return opened.error().starts_with("bad device")
               ? badInput("--device: " + opened.error())
               : deviceFailed("--device=" + line.device + ": " +
                              opened.error());
  device = std::move(*opened);
  return std::monostate();
}

Ending Run::execute() {
  Result<std::unique_ptr<Executor>> created = Executor::create(*device, plan);
  if (!created)
    return deviceFailed(created.error());
  executor = std::move(*created);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (Status status =
            executor->setArgument(static_cast<int64_t>(i), inputs[i]);
        !status)
      return deviceFailed(status.error());
  if (Status status = executor->run(); !status)
    return deviceFailed(status.error());
  for (size_t i = 0; i < resultSpecs.size(); ++i) {
    Result<Tensor> result = executor->result(static_cast<int64_t>(i));
    if (!result)
      return deviceFailed(result.error());
    results.push_back(std::move(*result));
  }
  return std::monostate();
}

Ending Run::time() {
  Result<BenchmarkResult> measured = executor->benchmark(*line.timedRuns);
  if (!measured)
    return deviceFailed(measured.error());
  report.text +=
      formatRow("time", describe(rate(*measured, plan, device->info())));
  return std::monostate();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// What the plan's own verification allows: a problem says it, else the types.
static double toleranceOf(const Plan &plan, const std::string &type,
                          bool isFirst) {
  Result<Problem> problem = parseProblem(plan.problem);
  if (!problem)
    return tolerance(toString(plan.operandType), type);
  return isFirst ? tolerance(*problem) : biasGradientTolerance(*problem);
}

void Run::verify() {
  for (size_t i = 0; i < results.size(); ++i) {
    if (!expected[i])
      continue;
    const TensorSpec &spec = resultSpecs[i];
    double most = line.tolerance.value_or(toleranceOf(plan, spec.type, i == 0));
    Expected values{expected[i]->toDoubles(), {}, {}, most == 0};
    values.errors = boundsOfTolerance(values.values, {}, most);
    VerifyReport verified = compareResult(spec, results[i], {}, values, most);
    report.passed &= verified.passed;
    report.text += formatRow("verify", describe(verified));
  }
}

/// All or none.
Status Run::writeOutputs() const {
  std::vector<std::string> paths;
  std::vector<const Tensor *> tensors;
  for (size_t i = 0; i < results.size(); ++i) {
    if (outputs[i].empty())
      continue;
    paths.push_back(outputs[i]);
    tensors.push_back(&results[i]);
  }
  return writeTensors(paths, tensors);
}

static std::string headOf(const Plan &plan, const DeviceInfo &device) {
  return formatRow("problem", toLine(plan.problem)) +
         formatRow("device", describe(device)) +
         formatRow("target", toLine(plan.target)) + scheduleRow(plan) +
         kernelRows(plan) + promiseRows(plan);
}

Outcome<LaunchReport> Run::run() {
  if (Status status = prepare(); !status)
    return badInput(status.error());
  if (line.describe) {
    report.text = describeAsText(plan);
    return report;
  }
  if (Ending ending = openDevice(); !ending)
    return ending.failure();
  report.text = headOf(plan, device->info());
  if (Ending ending = execute(); !ending)
    return ending.failure();
  verify();
  if (Status status = writeOutputs(); !status)
    return badInput(status.error());
  if (line.timedRuns)
    if (Ending ending = time(); !ending)
      return ending.failure();
  return report;
}

Outcome<LaunchReport> launch(const CommandLine &line) {
  return Run(line).run();
}

} // namespace convmlir
