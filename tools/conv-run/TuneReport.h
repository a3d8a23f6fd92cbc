//===- TuneReport.h - what --tune prints ---------------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_TUNEREPORT_H
#define CONV_TOOLS_CONV_RUN_TUNEREPORT_H

#include "conv/Tuning/Tournament.h"

#include <string>
#include <vector>

namespace convmlir {

/// A schedule and what became of it.
struct TunedCandidate {
  std::string schedule;
  Standing standing;
};

/// One problem. The first candidate is what is chosen without records.
struct ProblemTuning {
  std::string problem;
  std::vector<TunedCandidate> candidates;
  size_t winner = 0;
  double relativeError = 0; ///< Of the winner.
};

struct TuneReport {
  std::string device, target, file;
  std::vector<ProblemTuning> problems;
};

/// Writes the report on standard output.
void printText(const TuneReport &report);
/// The same as one JSON object, with the keys of docs/Tuning.md.
void printJson(const TuneReport &report);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_TUNEREPORT_H
