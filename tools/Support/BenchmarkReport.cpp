//===- BenchmarkReport.cpp - measured times and what bounds them ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/BenchmarkReport.h"
#include "Support/TextFormat.h"
#include "conv/Runtime/Roofline.h"

namespace convmlir {

BenchmarkReport rate(const BenchmarkResult &measured, const Plan &plan,
                     const DeviceInfo &device) {
  BenchmarkReport result;
  result.runs = measured.runs;
  result.medianUs = measured.medianUs;
  result.minUs = measured.minUs;
  result.maxUs = measured.maxUs;
  double seconds = measured.medianUs * 1e-6;
  int64_t flops = plan.flops, bytes = plan.leastBytes;
  if (seconds <= 0 || flops == 0)
    return result;
  result.tflops = static_cast<double>(flops) / seconds * 1e-12;
  result.gbytesPerSecond = static_cast<double>(bytes) / seconds * 1e-9;
  if (std::optional<Roofline> roofline =
          computeRoofline(device, plan.operandType, flops, bytes)) {
    result.boundUs = roofline->boundUs();
    result.shareOfBound = *result.boundUs / measured.medianUs;
  }
  return result;
}

std::string describe(const BenchmarkReport &report) {
  auto time = [](const char *name, double us) {
    return name + formatNumber(" %.2f us", us);
  };
  std::string text = time("median", report.medianUs) + ", " +
                     time("min", report.minUs) + ", " +
                     time("max", report.maxUs) + " in " +
                     std::to_string(report.runs) + " runs";
  if (report.tflops)
    text += formatNumber("; %.2f TFLOP/s", *report.tflops);
  if (report.gbytesPerSecond)
    text += formatNumber(", %.1f GB/s", *report.gbytesPerSecond);
  if (report.boundUs && report.shareOfBound)
    text += "; " + time("bound", *report.boundUs) +
            formatNumber(", %.0f %% of it reached", 100 * *report.shareOfBound);
  return text;
}

} // namespace convmlir
