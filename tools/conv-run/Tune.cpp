//===- Tune.cpp - finds and records the fastest schedules -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tune.h"
#include "Devices.h"
#include "Progress.h"
#include "TuneReport.h"
#include "TuningSetup.h"
#include "Verify.h"
#include "Workload.h"
#include "conv/Compiler/PtxAssembler.h"
#include "conv/Compiler/Tuning.h"
#include "conv/Runtime/DeviceTarget.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace convmlir {

namespace {
class Tuner {
public:
  explicit Tuner(const CommandLine &line) : line(line) {}

  Outcome<ExitCode> run();

private:
  Status prepare();
  Ending open();
  Ending tuneProblem(const Problem &problem);
  std::vector<Result<Plan>> compileAll(const Problem &problem,
                                       const ProblemTuning &tuning);
  Ending play(Workload &workload, const std::vector<Result<Plan>> &plans,
              ProblemTuning &tuning);
  Ending checkWinner(Workload &workload, const std::vector<Tensor> &results,
                     ProblemTuning &tuning);

  const CommandLine &line;
  Progress progress;
  std::vector<Problem> problems;
  CompileOptions options;
  std::unique_ptr<Device> device;
  TuneReport report;
};
} // namespace

/// Everything that can be wrong with the input.
Status Tuner::prepare() {
  progress.step("reading the input");
  Result<Workload> loaded = loadWorkload(line);
  if (!loaded)
    return loaded.takeError();
  problems = tuningProblems(*loaded->source);
  if (problems.empty())
    return Error{"--tune: expected a convolution of form F0 or F1, got " +
                 loaded->source->description()};
  Environment environment = Environment::read();
  report.file = userTuningFile(line, environment);
  if (report.file.empty())
    return Error{"--tune: expected --tuning-file=PATH, as neither "
                 "XDG_CONFIG_HOME nor HOME is set"};
  if (Status status = checkTuningFile(report.file); !status)
    return status;
  Result<std::string> ptxas =
      findPtxas({line.cudaPath, environment.cudaHome, environment.searchPath});
  if (!ptxas)
    return ptxas.takeError();
  options.ptxas = *ptxas;
  if (line.ptxasSeconds)
    options.ptxasLimit = std::chrono::seconds(*line.ptxasSeconds);
  options.refuseFlaws = true;
  return {};
}

Ending Tuner::open() {
  Outcome<std::unique_ptr<Device>> opened = openDevice(line.device);
  if (!opened)
    return opened.failure();
  device = std::move(*opened);
  if (device->info().kind == "emulator")
    return badInput("--tune: schedules are compared by their times on a GPU, "
                    "but the device is the emulator, which has none");
  options.target =
      line.target.empty() ? bestTarget(device->info()) : line.target;
  options.limits = limitsOf(device->info());
  report.device = device->info().name;
  report.target = options.target;
  return std::monostate();
}

/// Compiles every candidate, on all cores. Each has a context of its own.
std::vector<Result<Plan>> Tuner::compileAll(const Problem &problem,
                                            const ProblemTuning &tuning) {
  size_t count = tuning.candidates.size();
  std::vector<Result<Plan>> plans(count, Error{"not compiled"});
  std::atomic<size_t> next = 0, done = 0;
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      CompileOptions own = options;
      own.schedule = tuning.candidates[i].schedule;
      Result<std::unique_ptr<SourceModule>> source =
          SourceModule::fromProblem(problem);
      plans[i] =
          source ? compile(**source, own) : Result<Plan>(source.takeError());
      progress.share(static_cast<double>(++done) / static_cast<double>(count));
    }
  };
  progress.step("compiling " + std::to_string(count) + " candidates");
  std::vector<std::thread> threads;
  size_t cores = std::max(1u, std::thread::hardware_concurrency());
  for (size_t i = 0; i < std::min(cores, count); ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  return plans;
}

/// Times the candidates that were compiled, and says of the others why not.
Ending Tuner::play(Workload &workload, const std::vector<Result<Plan>> &plans,
                   ProblemTuning &tuning) {
  std::vector<const Plan *> contestants;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i]) {
      contestants.push_back(&*plans[i]);
      numbers.push_back(i);
    } else {
      tuning.candidates[i].standing.failure = plans[i].error();
    }
  }
  if (contestants.empty())
    return badInput("--tune: no candidate of '" + tuning.problem +
                    "' can be compiled: " + plans.front().error());
  Result<TournamentResult> result = runTournament(
      *device, contestants, workload.inputs, {}, [&](size_t index) {
        progress.step("timing " + tuning.candidates[numbers[index]].schedule);
      });
  if (!result)
    return deviceFailed(result.error());
  for (size_t i = 0; i < numbers.size(); ++i)
    tuning.candidates[numbers[i]].standing = result->standings[i];
  tuning.winner = numbers[result->winner];
  workload.plan = *plans[tuning.winner];
  for (const TunedCandidate &candidate : tuning.candidates)
    if (!candidate.standing.failure.empty())
      printWarning("candidate '" + candidate.schedule +
                   "' is skipped: " + candidate.standing.failure);
  return checkWinner(workload, result->results, tuning);
}

Ending Tuner::checkWinner(Workload &workload,
                          const std::vector<Tensor> &results,
                          ProblemTuning &tuning) {
  progress.step("computing the reference");
  Result<VerifyReport> verified = verify(
      workload, results, {}, [this](double done) { progress.share(done); });
  if (!verified)
    return badInput(verified.error());
  tuning.relativeError = verified->relativeError;
  if (verified->passed)
    return std::monostate();
  return Failure{ExitCode::Mismatch,
                 "--tune: the fastest candidate of '" + tuning.problem +
                     "' is wrong, and not recorded: '" +
                     tuning.candidates[tuning.winner].schedule +
                     "': " + verified->worst};
}

Ending Tuner::tuneProblem(const Problem &problem) {
  ProblemTuning tuning;
  tuning.problem = toString(problem);
  Result<std::vector<std::string>> schedules = candidateSchedules(
      problem, options.target, static_cast<size_t>(*line.tuneCandidates),
      options.limits);
  if (!schedules)
    return badInput("--tune: '" + tuning.problem + "': " + schedules.error());
  for (const std::string &schedule : *schedules)
    tuning.candidates.push_back({schedule, {}});
  CommandLine request;
  request.problem = tuning.problem;
  request.verify = VerifyRequest();
  Result<Workload> workload = loadWorkload(request);
  if (!workload)
    return badInput(workload.error());
  if (Status status = loadInputs(request, *workload); !status)
    return badInput(status.error());
  std::vector<Result<Plan>> plans = compileAll(problem, tuning);
  if (Ending ending = play(*workload, plans, tuning); !ending)
    return ending;
  const TunedCandidate &winner = tuning.candidates[tuning.winner];
  if (Status status = addTuningRecord(
          report.file,
          makeTuningRecord(problem, options.target, winner.schedule,
                           report.device, *winner.standing.medianUs,
                           options.limits.multiprocessors));
      !status)
    return badInput(status.error());
  report.problems.push_back(std::move(tuning));
  return std::monostate();
}

Outcome<ExitCode> Tuner::run() {
  if (Status status = prepare(); !status)
    return badInput(status.error());
  if (Ending ending = open(); !ending)
    return ending.failure();
  for (const Problem &problem : problems)
    if (Ending ending = tuneProblem(problem); !ending)
      return ending.failure();
  progress.step("");
  line.json ? printJson(report) : printText(report);
  return ExitCode::Done;
}

Outcome<ExitCode> tune(const CommandLine &line) { return Tuner(line).run(); }

} // namespace convmlir
