//===- Tournament.cpp - which plan is the fastest -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Tuning/Tournament.h"
#include "conv/Runtime/Executor.h"

#include <algorithm>
#include <cmath>

namespace convmlir {

namespace {
class Tournament {
public:
  Tournament(Device &device, const std::vector<const Plan *> &plans,
             const std::vector<Tensor> &arguments,
             const TournamentSettings &settings,
             const std::function<void(size_t)> &onStep)
      : device(device), plans(plans), arguments(arguments), settings(settings),
        onStep(onStep) {
    result.standings.resize(plans.size());
  }

  Result<TournamentResult> run();

private:
  Result<std::unique_ptr<Executor>> prepare(size_t index);
  Result<double> measure(Executor &executor, size_t index);
  Status screen(size_t index);
  std::vector<size_t> chooseFinalists() const;
  Status playFinal();
  Status checkWinner();

  Device &device;
  const std::vector<const Plan *> &plans;
  const std::vector<Tensor> &arguments;
  const TournamentSettings &settings;
  const std::function<void(size_t)> &onStep;
  TournamentResult result;
  /// About how long a run takes; 0 before the first.
  double estimateUs = 0;
};
} // namespace

static double medianOf(std::vector<double> values) {
  std::ranges::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

/// Loads a plan; its arguments have values, and it ran once.
Result<std::unique_ptr<Executor>> Tournament::prepare(size_t index) {
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(device, *plans[index]);
  if (!executor)
    return executor;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (Status status =
            (*executor)->setArgument(static_cast<int64_t>(i), arguments[i]);
        !status)
      return status.takeError();
  return executor;
}

/// The median of as many runs as fill a sample.
Result<double> Tournament::measure(Executor &executor, size_t index) {
  if (onStep)
    onStep(index);
  constexpr int64_t leastRuns = 5, mostRuns = 200;
  if (estimateUs == 0) {
    Result<BenchmarkResult> first = executor.benchmark(leastRuns);
    if (!first)
      return first.takeError();
    estimateUs = std::max(first->medianUs, 0.1);
  }
  int64_t runs = static_cast<int64_t>(settings.sampleUs / estimateUs);
  Result<BenchmarkResult> measured =
      executor.benchmark(std::clamp(runs, leastRuns, mostRuns));
  if (!measured)
    return measured.takeError();
  return measured->medianUs;
}

/// Times a plan alone. The error is that of the device.
Status Tournament::screen(size_t index) {
  Standing &standing = result.standings[index];
  Result<std::unique_ptr<Executor>> executor = prepare(index);
  if (!executor) {
    standing.failure = executor.error();
    return {};
  }
  if (Status status = (*executor)->run(); !status)
    return status;
  Result<double> time = measure(**executor, index);
  if (!time)
    return time.takeError();
  standing.medianUs = *time;
  estimateUs = std::min(estimateUs, std::max(*time, 0.1));
  return {};
}

/// The fastest few, and the first plan: what tuning gains is measured, too.
std::vector<size_t> Tournament::chooseFinalists() const {
  std::vector<size_t> order;
  for (size_t i = 0; i < plans.size(); ++i)
    if (result.standings[i].medianUs)
      order.push_back(i);
  auto timeOf = [&](size_t i) { return *result.standings[i].medianUs; };
  std::ranges::stable_sort(order, {}, timeOf);
  std::vector<size_t> finalists;
  for (size_t i : order)
    if (i == 0 ||
        (finalists.size() < settings.finalists &&
         timeOf(i) <= timeOf(order.front()) * (1 + settings.finalMargin)))
      finalists.push_back(i);
  return finalists;
}

Status Tournament::playFinal() {
  std::vector<size_t> finalists = chooseFinalists();
  std::vector<std::unique_ptr<Executor>> executors;
  for (size_t index : finalists) {
    Result<std::unique_ptr<Executor>> executor = prepare(index);
    if (!executor)
      return executor.takeError();
    executors.push_back(std::move(*executor));
  }
  std::vector<std::vector<double>> times(finalists.size());
  for (int64_t round = 0; round < settings.rounds; ++round)
    for (size_t turn = 0; turn < finalists.size(); ++turn) {
      size_t i = round % 2 ? finalists.size() - 1 - turn : turn;
      Result<double> time = measure(*executors[i], finalists[i]);
      if (!time)
        return time.takeError();
      times[i].push_back(*time);
    }
  for (size_t i = 0; i < finalists.size(); ++i) {
    Standing &standing = result.standings[finalists[i]];
    standing.isFinalist = true;
    standing.medianUs = medianOf(std::move(times[i]));
  }
  return {};
}

/// Runs the winner in poisoned memory with guard bands.
Status Tournament::checkWinner() {
  Result<std::unique_ptr<Executor>> executor = prepare(result.winner);
  if (!executor)
    return executor.takeError();
  if (Status status = (*executor)->run(); !status)
    return status;
  size_t count = plans[result.winner]->buffersOf(BufferRole::Result).size();
  for (size_t i = 0; i < count; ++i) {
    Result<Tensor> tensor = (*executor)->result(static_cast<int64_t>(i));
    if (!tensor)
      return tensor.takeError();
    result.results.push_back(std::move(*tensor));
  }
  return {};
}

/// The first of those that are as fast as the fastest.
static std::optional<size_t> findWinner(const std::vector<Standing> &standings,
                                        double noise) {
  double best = INFINITY;
  for (const Standing &standing : standings)
    if (standing.isFinalist)
      best = std::min(best, *standing.medianUs);
  for (size_t i = 0; i < standings.size(); ++i)
    if (standings[i].isFinalist && *standings[i].medianUs <= best * (1 + noise))
      return i;
  return std::nullopt;
}

Result<TournamentResult> Tournament::run() {
  for (size_t i = 0; i < plans.size(); ++i)
    if (Status status = screen(i); !status)
      return Error{"plan " + std::to_string(i) + " (" + plans[i]->schedule +
                   "): " + status.error()};
  if (Status status = playFinal(); !status)
    return status.takeError();
  std::optional<size_t> winner = findWinner(result.standings, settings.noise);
  if (!winner)
    return Error{"none of " + std::to_string(plans.size()) +
                 " plans can be loaded" +
                 (plans.empty() ? "" : ": " + result.standings[0].failure)};
  result.winner = *winner;
  if (Status status = checkWinner(); !status)
    return status.takeError();
  return std::move(result);
}

Result<TournamentResult>
runTournament(Device &device, const std::vector<const Plan *> &plans,
              const std::vector<Tensor> &arguments,
              const TournamentSettings &settings,
              const std::function<void(size_t index)> &onStep) {
  return Tournament(device, plans, arguments, settings, onStep).run();
}

} // namespace convmlir
