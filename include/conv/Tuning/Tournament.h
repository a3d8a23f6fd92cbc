//===- Tournament.h - which plan is the fastest --------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: plans of one function, best first as the model sees them, and values
// for its arguments. Output: their times on a device, and the winner.
//
// All are timed once, one at a time. The best few are then timed in turns, in
// rounds of alternating order: what drifts (clocks, temperature, power) meets
// all of them alike. Times within the noise count as equal, and of equals the
// first wins.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TUNING_TOURNAMENT_H
#define CONV_TUNING_TOURNAMENT_H

#include "conv/Runtime/Device.h"
#include "conv/Runtime/Tensor.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace convmlir {

struct TournamentSettings {
  double sampleUs = 20000;   ///< Device time of one measurement.
  int64_t rounds = 6;        ///< Measurements of each finalist.
  size_t finalists = 4;      ///< At most, and the first plan besides.
  double finalMargin = 0.08; ///< How much slower than the best a finalist is.
  double noise = 0.015;      ///< Within which times are equal.
};

/// What became of one plan.
struct Standing {
  std::optional<double> medianUs; ///< Of the final, where it was in it.
  std::string failure;            ///< Why it has no time; else empty.
  bool isFinalist = false;
};

struct TournamentResult {
  std::vector<Standing> standings; ///< As the plans.
  size_t winner = 0;
  /// Of the winner, computed once more after all timing.
  std::vector<Tensor> results;
};

/// Runs the tournament. A plan that cannot be loaded has no time; a device that
/// fails in a run, and plans of which none has a time, are errors. `onStep` is
/// called before plan `index` is timed.
Result<TournamentResult>
runTournament(Device &device, const std::vector<const Plan *> &plans,
              const std::vector<Tensor> &arguments,
              const TournamentSettings &settings = {},
              const std::function<void(size_t index)> &onStep = {});

} // namespace convmlir

#endif // CONV_TUNING_TOURNAMENT_H
