//===- Benchmark.cpp - timed runs of a plan -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments and results live in pools of several copies that the runs take in
// turn. The timed runs are enqueued in batches while the queue is held, so that
// the device never waits for the host between two points of a timer.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Executor.h"

#include <algorithm>
#include <chrono>

namespace convmlir {

/// Pieces of work that may wait in a held queue; drivers block at about 1000.
static constexpr size_t heldWork = 256;

static bool rotates(const PlanBuffer &buffer) {
  return buffer.role == BufferRole::Argument ||
         buffer.role == BufferRole::Result;
}

/// Distance of two copies in a pool.
static int64_t alignedBytes(const PlanBuffer &buffer) {
  return (buffer.bytes() + 255) / 256 * 256;
}

/// As many copies as exceed the L2 cache twice over, within a quarter of the
/// memory; never more than there are runs.
static int64_t countCopies(const Plan &plan, const DeviceInfo &info,
                           int64_t runs) {
  int64_t bytes = 0;
  for (const PlanBuffer &buffer : plan.buffers)
    if (rotates(buffer))
      bytes += alignedBytes(buffer);
  if (bytes == 0)
    return 1;
  int64_t wanted = 2 * info.l2Bytes / bytes + 1;
  int64_t possible = std::max<int64_t>(info.memoryBytes / 4 / bytes, 1);
  return std::min({wanted, possible, runs});
}

namespace {
/// The addresses that each run uses, and the memory behind them.
struct Rotation {
  std::vector<DeviceBuffer> pools;
  std::vector<std::vector<DeviceAddress>> sets; ///< One per copy.

  Status addPool(Device &device, const PlanBuffer &buffer, size_t index,
                 const DeviceBuffer &original);
};
} // namespace

/// Replaces the address of one buffer in every set by a copy of its own.
Status Rotation::addPool(Device &device, const PlanBuffer &buffer, size_t index,
                         const DeviceBuffer &original) {
  int64_t step = alignedBytes(buffer);
  int64_t count = static_cast<int64_t>(sets.size());
  Result<DeviceBuffer> pool = DeviceBuffer::create(
      device, "copies of " + describe(buffer), count * step, 0);
  if (!pool)
    return pool.takeError();
  Bytes content(static_cast<size_t>(buffer.bytes()));
  if (Status status = original.download(content); !status)
    return status;
  for (int64_t i = 0; i < count; ++i) {
    DeviceAddress address = pool->address() + static_cast<uint64_t>(i * step);
    sets[static_cast<size_t>(i)][index] = address;
    if (buffer.role == BufferRole::Argument)
      if (Status status = device.copyToDevice(address, content); !status)
        return status;
  }
  pools.push_back(std::move(*pool));
  return {};
}

static BenchmarkResult summarise(std::vector<double> times, size_t sets) {
  std::ranges::sort(times);
  size_t middle = times.size() / 2;
  double median = times.size() % 2 ? times[middle]
                                   : (times[middle - 1] + times[middle]) / 2;
  return {static_cast<int64_t>(times.size()), static_cast<int64_t>(sets),
          median, times.front(), times.back()};
}

Result<BenchmarkResult> Executor::benchmark(int64_t runs) {
  if (runs < 1)
    return Error{"expected at least 1 run, got " + std::to_string(runs)};
  if (Status status = expectArguments(); !status)
    return status.takeError();
  Rotation rotation;
  rotation.sets.assign(
      static_cast<size_t>(countCopies(plan, device.info(), runs)), addresses);
  if (rotation.sets.size() > 1)
    for (size_t i = 0; i < buffers.size(); ++i)
      if (rotates(plan.buffers[i]))
        if (Status status =
                rotation.addPool(device, plan.buffers[i], i, buffers[i]);
            !status)
          return status.takeError();

  if (Status status = warmUp(rotation.sets); !status)
    return status.takeError();
  Result<std::vector<double>> times = timeRuns(rotation.sets, runs);
  if (!times)
    return times.takeError();
  return summarise(std::move(*times), rotation.sets.size());
}

/// Runs until the clocks have settled, at least once. They rise, and fall again
/// where the load takes all the power that the device may draw.
Status Executor::warmUp(const AddressSets &sets) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end = Clock::now() + std::chrono::milliseconds(60);
  size_t next = 0;
  do {
    if (Status status = enqueue(sets[next++ % sets.size()]); !status)
      return status;
    if (Status status = device.synchronize(); !status)
      return status;
  } while (Clock::now() < end);
  return {};
}

/// Enqueues one run per timer while the queue is held, then lets it go.
Status
Executor::enqueueBatch(const AddressSets &sets, size_t first,
                       std::span<const std::unique_ptr<DeviceTimer>> timers) {
  std::unique_ptr<QueueHold> hold;
  if (timers.size() * (plan.launches.size() + 2) <= heldWork) {
    Result<std::unique_ptr<QueueHold>> held = device.holdQueue();
    if (!held)
      return held.takeError();
    hold = std::move(*held);
  }
  for (size_t i = 0; i < timers.size(); ++i) {
    if (Status status = timers[i]->start(); !status)
      return status;
    if (Status status = enqueue(sets[(first + i) % sets.size()]); !status)
      return status;
    if (Status status = timers[i]->stop(); !status)
      return status;
  }
  return {};
}

Result<std::vector<double>> Executor::timeRuns(const AddressSets &sets,
                                               int64_t runs) {
  size_t count = static_cast<size_t>(runs);
  size_t batch = std::max<size_t>(heldWork / (plan.launches.size() + 2), 1);
  std::vector<std::unique_ptr<DeviceTimer>> timers(std::min(batch, count));
  for (std::unique_ptr<DeviceTimer> &timer : timers) {
    Result<std::unique_ptr<DeviceTimer>> created = device.createTimer();
    if (!created)
      return created.takeError();
    timer = std::move(*created);
  }

  std::vector<double> times;
  while (times.size() < count) {
    std::span<const std::unique_ptr<DeviceTimer>> used(
        timers.data(), std::min(timers.size(), count - times.size()));
    if (Status status = enqueueBatch(sets, times.size(), used); !status)
      return status.takeError();
    if (Status status = device.synchronize(); !status)
      return status.takeError();
    for (const std::unique_ptr<DeviceTimer> &timer : used) {
      Result<double> time = timer->microseconds();
      if (!time)
        return time.takeError();
      times.push_back(*time);
    }
  }
  return times;
}

} // namespace convmlir
