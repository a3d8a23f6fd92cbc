//===- Run.cpp - one run of conv-run --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "CacheSetup.h"
#include "Devices.h"
#include "Emit.h"
#include "Environment.h"
#include "Progress.h"
#include "Report.h"
#include "Stages.h"
#include "Support/OutputFiles.h"
#include "TuningSetup.h"
#include "Verify.h"
#include "Workload.h"
#include "conv/Compiler/PtxAssembler.h"
#include "conv/Runtime/DeviceTarget.h"
#include "conv/Runtime/Executor.h"
#include "conv/Tuning/TuningRecords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace convmlir {

namespace {
/// The steps of a run, in order; each keeps what the next ones need.
class Run {
public:
  explicit Run(const CommandLine &line) : line(line) {}

  Outcome<ExitCode> run();

private:
  Status prepare();
  Ending openAndCompile();
  /// From the cache, if one is asked for.
  Result<Plan> makePlan();
  Ending execute();
  Outcome<ExitCode> explain();
  Status writeOutputs();
  Status writeStages();
  Failure endWith(const Failure &failure);
  Ending benchmark();

  const CommandLine &line;
  Progress progress;
  Workload workload;
  CompileOptions options;
  std::unique_ptr<PlanCache> cache; ///< Null: there is none.
  std::unique_ptr<Device> device;
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> results;
  Report report;
};
} // namespace

/// Everything that can be wrong with the input, before anything is compiled.
Status Run::prepare() {
  progress.step("reading the input");
  Result<Workload> loaded = loadWorkload(line);
  if (!loaded)
    return loaded.takeError();
  workload = std::move(*loaded);
  if (Status status = checkOutputs(line, workload); !status)
    return status;
  if (!line.stages.empty())
    if (Status status = checkStagesFolder(line.stages); !status)
      return status;
  if (!line.emit && !line.describe && !line.explain)
    if (Status status = loadInputs(line, workload); !status)
      return status;
  if (line.isPlan())
    return line.verify ? checkReference(workload) : Status();
  Environment environment = Environment::read();
  Result<std::string> ptxas =
      findPtxas({line.cudaPath, environment.cudaHome, environment.searchPath});
  if (!ptxas)
    return ptxas.takeError();
  options.ptxas = *ptxas;
  if (line.ptxasSeconds)
    options.ptxasLimit = std::chrono::seconds(*line.ptxasSeconds);
  options.schedule = line.schedule;
  options.maxWorkspace = line.maxWorkspace;
  options.target = line.target;
  options.device = line.tuningDevice;
  options.onStep = [this](const std::string &name) { progress.step(name); };
  options.onWarning = printWarning;
  options.onTuned = [this](const TuningMatch &match) {
    const TuningRecord &record = *match.record;
    report.tuned.push_back({record.problem, *match.file, record.device,
                            record.date, record.medianUs});
  };
  options.onUntuned = [this](const std::string &problem,
                             const std::string &otherDevices) {
    bool isKnown = llvm::any_of(report.untuned, [&](const UntunedReport &old) {
      return old.problem == problem;
    });
    if (!isKnown)
      report.untuned.push_back({problem, otherDevices});
  };
  Result<std::shared_ptr<const TuningRecords>> records =
      openTuningRecords(line, environment);
  if (!records)
    return records.takeError();
  options.tuning = *records;
  if (!line.usesCache)
    return {};
  Result<std::unique_ptr<PlanCache>> opened = openCache(line, environment);
  if (!opened)
    return opened.takeError();
  cache = std::move(*opened);
  return {};
}

Result<Plan> Run::makePlan() {
  return cache ? getCachedPlan(*cache, line, workload, options, report.cache)
               : compile(*workload.source, options);
}

/// A GPU's own. The emulator is whichever a module was made for.
static std::string defaultTarget(const Workload &workload,
                                 const DeviceInfo &device) {
  bool isEmulated = device.kind == "emulator";
  return isEmulated && workload.source ? workload.source->target()
                                       : bestTarget(device);
}

Ending Run::openAndCompile() {
  bool runs = !line.emit && !line.describe && !line.explain;
  bool needsTarget = line.target.empty() && !line.isPlan();
  if (runs || needsTarget) {
    Outcome<std::unique_ptr<Device>> opened = openDevice(line.device);
    if (!opened)
      return opened.failure();
    device = std::move(*opened);
    if (line.target.empty())
      options.target = defaultTarget(workload, device->info());
    if (options.device.empty() && device->info().kind != "emulator")
      options.device = device->info().name;
    options.limits = limitsOf(device->info());
  }
  if (line.multiprocessors)
    options.limits.multiprocessors = *line.multiprocessors;
  if (line.emit) {
    Status status = emit(*workload.source, *line.emit, line.emitPath, options,
                         [this] { return makePlan(); });
    return status ? Ending(std::monostate()) : badInput(status.error());
  }
  if (!workload.plan) {
    Result<Plan> plan = makePlan();
    if (!plan)
      return badInput(plan.error());
    workload.plan = std::move(*plan);
  }
  return std::monostate();
}

Ending Run::execute() {
  bool isEmulated = device->info().kind == "emulator";
  if (Status status = checkMemory(line, workload, isEmulated); !status)
    return badInput(status.error());
  if (std::string why = describeMisfit(*workload.plan, device->info());
      !why.empty())
    printWarning(why);
  progress.step("loading the kernels");
  Result<std::unique_ptr<Executor>> created =
      Executor::create(*device, *workload.plan);
  // The emulator refuses what it is given; a GPU may fail by itself.
  if (!created)
    return isEmulated ? badInput(created.error())
                      : deviceFailed(created.error());
  executor = std::move(*created);
  for (size_t i = 0; i < workload.inputs.size(); ++i)
    if (Status status =
            executor->setArgument(static_cast<int64_t>(i), workload.inputs[i]);
        !status)
      return deviceFailed(status.error());
  progress.step("running on " + device->info().name);
  device->resetCounters();
  if (Status status = executor->run(); !status)
    return deviceFailed(status.error());
  report.counters = device->counters();
  for (size_t i = 0; i < workload.results.size(); ++i) {
    Result<Tensor> result = executor->result(static_cast<int64_t>(i));
    if (!result)
      return deviceFailed(result.error());
    results.push_back(std::move(*result));
  }
  return std::monostate();
}

Status Run::writeOutputs() {
  std::vector<const Tensor *> written;
  for (size_t i = 0; i < line.outputs.size(); ++i)
    written.push_back(&results[i]);
  return writeTensors(line.outputs, written);
}

/// Compiles once more, form by form.
Status Run::writeStages() {
  if (line.stages.empty())
    return {};
  Result<StageReport> stages =
      collectStages(*workload.source, options, *workload.plan,
                    Environment::read().searchPath);
  if (!stages)
    return stages.takeError();
  stages->counters = report.counters;
  return convmlir::writeStages(*stages, line.stages);
}

/// A run that failed on the device: its stages are what shows why.
Failure Run::endWith(const Failure &failure) {
  if (failure.code == ExitCode::DeviceFailed)
    if (Status status = writeStages(); !status)
      return badInput(status.error());
  return failure;
}

/// The emulator has counters, which do not vary, in place of times.
Ending Run::benchmark() {
  if (!report.counters.empty())
    return std::monostate();
  progress.step("measuring");
  Result<BenchmarkResult> measured = executor->benchmark(*line.benchmarkRuns);
  if (!measured)
    return deviceFailed(measured.error());
  report.benchmark = rate(*measured, *workload.plan, device->info());
  return std::monostate();
}

/// That of the only convolution, which stands behind its kernel's name.
static std::string scheduleOf(const Plan &plan) {
  llvm::StringRef first = llvm::StringRef(plan.schedule).split("; ").first;
  return first.split(": ").second.str();
}

Outcome<ExitCode> Run::explain() {
  progress.step("");
  const Plan &plan = *workload.plan;
  Result<ChoiceReport> choice = explainChoice(*workload.problem, plan.target,
                                              options.limits, scheduleOf(plan));
  if (!choice)
    return badInput(choice.error());
  ExplainReport explained{&plan, std::move(*choice), std::nullopt};
  if (!report.tuned.empty())
    explained.record = report.tuned.front();
  line.json ? explainAsJson(explained) : explainAsText(explained);
  return ExitCode::Done;
}

Outcome<ExitCode> Run::run() {
  if (Status status = prepare(); !status)
    return badInput(status.error());
  if (Ending ending = openAndCompile(); !ending)
    return ending.failure();
  if (line.emit)
    return ExitCode::Done;
  if (line.describe) {
    progress.step("");
    line.json ? describeAsJson(*workload.plan)
              : printDescription(*workload.plan);
    return ExitCode::Done;
  }
  if (line.explain)
    return explain();
  // What has no kernel at all has been refused by now.
  if (line.verify)
    if (Status status = checkReference(workload); !status)
      return badInput(status.error());
  if (Ending ending = execute(); !ending)
    return endWith(ending.failure());
  if (line.verify) {
    progress.step("computing the reference");
    Result<VerifyReport> verified =
        verify(workload, results, *line.verify,
               [this](double done) { progress.share(done); });
    if (!verified)
      return badInput(verified.error());
    report.verify = *verified;
  }
  if (Status status = writeOutputs(); !status)
    return badInput(status.error());
  if (Status status = writeStages(); !status)
    return badInput(status.error());
  if (line.benchmarkRuns)
    if (Ending ending = benchmark(); !ending)
      return ending.failure();
  progress.step("");
  report.plan = &*workload.plan;
  report.isEmulatedPlan = line.isPlan() && device->info().kind == "emulator";
  bool counts = line.benchmarkRuns || line.json;
  if (!counts)
    report.counters.clear();
  const DeviceInfo &info = device->info();
  bool isNameEnough = line.json || info.name == info.kind;
  report.device = isNameEnough ? info.name : describe(info);
  line.json ? printJson(report) : printText(report);
  bool passed = !report.verify || report.verify->passed;
  return passed ? ExitCode::Done : ExitCode::Mismatch;
}

Outcome<ExitCode> runOnce(const CommandLine &line) { return Run(line).run(); }

} // namespace convmlir
