//===- Report.h - what conv-run prints --------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_REPORT_H
#define CONV_TOOLS_CONV_RUN_REPORT_H

#include "Support/BenchmarkReport.h"
#include "Support/VerifyReport.h"
#include "conv/Compiler/Tuning.h"
#include "conv/Runtime/Device.h"
#include "conv/Runtime/Plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convmlir {

/// A schedule that is that of a tuning record.
struct TunedReport {
  std::string problem, file, device, date;
  double medianUs = 0;
};

/// A problem for which the model chose.
struct UntunedReport {
  std::string problem;
  std::string otherDevices; ///< That have records of it: "NVIDIA H200".
};

/// Where the plan came from.
struct CacheReport {
  std::string outcome; ///< "hit", "miss" or "rebuilt".
  std::string file;
};

struct Report {
  std::string device;
  /// Whether a plan of a file ran on the emulator, which takes its nvvm image.
  bool isEmulatedPlan = false;
  std::optional<CacheReport> cache;
  const Plan *plan = nullptr;
  std::optional<VerifyReport> verify;
  std::optional<BenchmarkReport> benchmark;
  std::vector<DeviceCounter> counters; ///< Of one run; empty: not counted.
  std::vector<TunedReport> tuned;
  std::vector<UntunedReport> untuned;
};

/// What a plan is: on standard output.
void printDescription(const Plan &plan);
void describeAsJson(const Plan &plan);

/// Why the plan of a problem has its schedule, and the record that it is of.
struct ExplainReport {
  const Plan *plan = nullptr;
  ChoiceReport choice;
  std::optional<TunedReport> record;
};
void explainAsText(const ExplainReport &report);
void explainAsJson(const ExplainReport &report);

/// Writes the report on standard output.
void printText(const Report &report);
/// The same as one JSON object, with the keys of docs/ConvRun.md.
void printJson(const Report &report);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_REPORT_H
