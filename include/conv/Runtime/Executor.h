//===- Executor.h - runs a plan on a device ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binds the buffers of a plan on a device and runs its launches: checked runs
// with poison and guard bands, and timed runs.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_EXECUTOR_H
#define CONV_RUNTIME_EXECUTOR_H

#include "conv/Runtime/Device.h"
#include "conv/Runtime/DeviceBuffer.h"
#include "conv/Runtime/Tensor.h"

#include <memory>
#include <vector>

namespace convmlir {

struct ExecutorOptions {
  /// Fill results and workspace with NaN before every run().
  bool poison = true;
  /// Size of each guard band; 0: none. Left out on devices that check bounds.
  int64_t guardBytes = 4096;
};

struct BenchmarkResult {
  int64_t runs = 0;
  int64_t inputSets = 0; ///< Copies of arguments and results in rotation.
  double medianUs = 0, minUs = 0, maxUs = 0;
};

class Executor {
public:
  /// Allocates every buffer, uploads the constants and loads the code. `device`
  /// and `plan` (which is valid) outlive the executor.
  static Result<std::unique_ptr<Executor>>
  create(Device &device, const Plan &plan, const ExecutorOptions &options = {});

  /// Sets an argument; its type and shape are the plan's.
  Status setArgument(int64_t position, const Tensor &value);

  /// Runs all launches once, waits, and checks the guard bands. All arguments
  /// are set.
  Status run();

  /// A result of the last run.
  Result<Tensor> result(int64_t position) const;

  /// Times `runs` (at least 1) runs after a warm-up. Every run takes the next
  /// copy of arguments and results, so many that they exceed the L2 cache twice
  /// over: the inputs come from memory, as in a network. Neither poisons nor
  /// checks; results are undefined afterwards.
  Result<BenchmarkResult> benchmark(int64_t runs);

private:
  using AddressSets = std::vector<std::vector<DeviceAddress>>;

  Executor(Device &device, const Plan &plan, const ExecutorOptions &options)
      : device(device), plan(plan), options(options) {}

  Status allocate();
  Status expectArguments() const;
  Status enqueue(const std::vector<DeviceAddress> &addresses);
  Status warmUp(const AddressSets &sets);
  Status enqueueBatch(const AddressSets &sets, size_t first,
                      std::span<const std::unique_ptr<DeviceTimer>> timers);
  Result<std::vector<double>> timeRuns(const AddressSets &sets, int64_t runs);

  Device &device;
  const Plan &plan;
  ExecutorOptions options;
  std::unique_ptr<LoadedPlan> loaded;
  std::vector<DeviceBuffer> buffers; ///< One per buffer of the plan.
  std::vector<DeviceAddress> addresses;
  std::vector<bool> isSet; ///< Per buffer: an argument that has a value.
};

} // namespace convmlir

#endif // CONV_RUNTIME_EXECUTOR_H
