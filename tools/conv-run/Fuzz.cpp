//===- Fuzz.cpp - random problems against the definition ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "CrashNote.h"
#include "Devices.h"
#include "FuzzCases.h"
#include "Progress.h"
#include "Verify.h"
#include "conv/Runtime/DeviceTarget.h"
#include "conv/Runtime/Executor.h"
#include "conv/Runtime/TensorInput.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>

namespace convmlir {

namespace {
class Fuzzer {
public:
  Fuzzer(const CommandLine &line, std::unique_ptr<Device> opened)
      : line(line), device(std::move(opened)),
        target(line.target.empty() ? bestTarget(device->info()) : line.target),
        chip(limits().applyTo(*lookupChip(target))),
        seed(line.seed.value_or(0)) {}

  ExitCode run();

private:
  /// What is asked for, or else known of the device.
  DeviceLimits limits() const;
  /// The line that runs the case again.
  std::string commandOf(const FuzzCase &tested) const;
  /// What is wrong with a case; nothing where it passes.
  std::optional<std::string> check(const FuzzCase &tested);
  std::optional<std::string> checkAgain(const FuzzCase &tested);
  ExitCode reportFailure(const FuzzCase &failing, int64_t number,
                         const std::string &why);
  void printFailure(int64_t number, const std::string &reason,
                    const std::string &command) const;
  void reportSuccess(double seconds) const;

  const CommandLine &line;
  std::unique_ptr<Device> device;
  std::string target;
  ChipInfo chip;
  uint64_t seed;
  Progress progress;
  CrashNote crashNote; ///< The case that is being checked.
};
} // namespace

static std::string inputOf(const FuzzCase &tested, size_t position) {
  return "integers:" + std::to_string(tested.dataSeed + position);
}

DeviceLimits Fuzzer::limits() const {
  DeviceLimits limits = limitsOf(device->info());
  if (line.multiprocessors)
    limits.multiprocessors = *line.multiprocessors;
  return limits;
}

std::string Fuzzer::commandOf(const FuzzCase &tested) const {
  std::string text = "conv-run --problem=\"" + toString(tested.problem) + "\"";
  if (std::string schedule = scheduleOf(tested, chip); !schedule.empty())
    text += " --schedule=\"" + schedule + "\"";
  for (size_t i = 0; i < tested.problem.arguments().size(); ++i)
    text += " --input=" + inputOf(tested, i);
  text += " --device=" + line.device + " --target=" + target;
  if (line.multiprocessors)
    text += " --multiprocessors=" + std::to_string(*line.multiprocessors);
  return text + " --verify=full";
}

std::optional<std::string> Fuzzer::check(const FuzzCase &tested) {
  crashNote.set("conv-run: the process is about to end in this case:\n" +
                commandOf(tested) + "\n");
  CommandLine request;
  request.problem = toString(tested.problem);
  for (size_t i = 0; i < tested.problem.arguments().size(); ++i)
    request.inputs.push_back(inputOf(tested, i));
  Result<Workload> workload = loadWorkload(request);
  if (!workload)
    return workload.error();
  if (Status status = loadInputs(request, *workload); !status)
    return status.error();
  CompileOptions options;
  options.target = target;
  options.limits = limits();
  options.schedule = scheduleOf(tested, chip);
  options.targetCode = device->info().kind != "emulator";
  Result<Plan> plan = compile(*workload->source, options);
  if (!plan)
    return plan.error();
  workload->plan = std::move(*plan);
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(*device, *workload->plan);
  if (!executor)
    return executor.error();
  for (size_t i = 0; i < workload->inputs.size(); ++i)
    if (Status status = (*executor)->setArgument(static_cast<int64_t>(i),
                                                 workload->inputs[i]);
        !status)
      return status.error();
  if (Status status = (*executor)->run(); !status)
    return status.error();
  std::vector<Tensor> results;
  for (size_t i = 0; i < workload->results.size(); ++i) {
    Result<Tensor> result = (*executor)->result(static_cast<int64_t>(i));
    if (!result)
      return result.error();
    results.push_back(std::move(*result));
  }
  // Of an empty batch there is nothing to compare: it must run.
  if (llvm::all_of(workload->results, [](const TensorSpec &spec) {
        return spec.numElements() == 0;
      }))
    return std::nullopt;
  VerifyRequest full{VerifyRequest::Mode::Full, 0};
  Result<VerifyReport> verified = verify(*workload, results, full);
  if (!verified)
    return verified.error();
  if (!verified->passed)
    return verified->worst;
  return std::nullopt;
}

/// After a fault, a GPU runs nothing until it is opened again.
std::optional<std::string> Fuzzer::checkAgain(const FuzzCase &tested) {
  device.reset();
  Outcome<std::unique_ptr<Device>> opened = openDevice(line.device);
  if (!opened)
    return std::nullopt;
  device = std::move(*opened);
  return check(tested);
}

ExitCode Fuzzer::reportFailure(const FuzzCase &failing, int64_t number,
                               const std::string &why) {
  progress.step("simplifying case " + std::to_string(number));
  FuzzCase simplest = failing;
  simplest.problem = minimize(failing.problem, [&](const Problem &problem) {
    FuzzCase candidate = failing;
    candidate.problem = problem;
    return checkAgain(candidate).has_value();
  });
  std::string reason = checkAgain(simplest).value_or(why);
  progress.step("");
  printFailure(number, reason, commandOf(simplest));
  return ExitCode::Mismatch;
}

void Fuzzer::printFailure(int64_t number, const std::string &reason,
                          const std::string &command) const {
  if (line.json) {
    llvm::json::OStream json(llvm::outs(), 2);
    json.object([&] {
      json.attribute("passed", false);
      json.attribute("case", number);
      json.attribute("seed", static_cast<int64_t>(seed));
      json.attribute("reason", reason);
      json.attribute("command", command);
    });
    llvm::outs() << '\n';
  } else {
    llvm::outs() << "case " << number << " of seed " << seed
                 << " failed: " << reason << '\n'
                 << command << '\n';
  }
  llvm::outs().flush();
}

void Fuzzer::reportSuccess(double seconds) const {
  if (line.json) {
    llvm::json::OStream json(llvm::outs(), 2);
    json.object([&] {
      json.attribute("passed", true);
      json.attribute("cases", *line.fuzzCases);
      json.attribute("seed", static_cast<int64_t>(seed));
      json.attribute("device", device->info().name);
      json.attribute("target", target);
      json.attribute("seconds", seconds);
    });
    llvm::outs() << '\n';
  } else {
    llvm::outs() << *line.fuzzCases << " random problems of seed " << seed
                 << " passed on " << device->info().name << " for " << target
                 << " in " << llvm::formatv("{0:f1}", seconds) << " s\n";
  }
  llvm::outs().flush();
}

ExitCode Fuzzer::run() {
  auto begin = std::chrono::steady_clock::now();
  progress.step("running random problems");
  for (int64_t number = 0; number < *line.fuzzCases; ++number) {
    progress.share(static_cast<double>(number) /
                   static_cast<double>(*line.fuzzCases));
    FuzzCase drawn = drawFuzzCase(
        seed, number, chip, line.fuzzProfile.value_or(FuzzProfile::Edges));
    if (std::optional<std::string> why = check(drawn))
      return reportFailure(drawn, number, *why);
  }
  progress.step("");
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  reportSuccess(spent.count());
  return ExitCode::Done;
}

Outcome<ExitCode> fuzz(const CommandLine &line) {
  Outcome<std::unique_ptr<Device>> device = openDevice(line.device);
  if (!device)
    return device.failure();
  return Fuzzer(line, std::move(*device)).run();
}

} // namespace convmlir
