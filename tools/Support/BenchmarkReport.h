//===- BenchmarkReport.h - measured times and what bounds them --*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_BENCHMARKREPORT_H
#define CONV_TOOLS_SUPPORT_BENCHMARKREPORT_H

#include "conv/Runtime/Device.h"
#include "conv/Runtime/Executor.h"
#include "conv/Runtime/Plan.h"

#include <cstdint>
#include <optional>
#include <string>

namespace convmlir {

/// Rates and bounds are absent where the work or the device's peaks are
/// unknown.
struct BenchmarkReport {
  int64_t runs = 0;
  double medianUs = 0, minUs = 0, maxUs = 0;
  std::optional<double> tflops, gbytesPerSecond, boundUs, shareOfBound;
};

/// Rates and bounds of the measured times of a plan on a device.
BenchmarkReport rate(const BenchmarkResult &measured, const Plan &plan,
                     const DeviceInfo &device);

/// "median 12.30 us, …": what the report says, for people.
std::string describe(const BenchmarkReport &report);

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_BENCHMARKREPORT_H
