//===- Device.h - something that runs kernels -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the executor and a device: a CUDA GPU or the emulator.
// Work that is enqueued (fill, launches, timers) runs in order; copies and
// synchronize() wait for it. A device is used by one thread at a time and
// outlives whatever it creates.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_DEVICE_H
#define CONV_RUNTIME_DEVICE_H

#include "conv/Runtime/Plan.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace convmlir {

/// An address in the memory of a device.
using DeviceAddress = uint64_t;

/// What a device is and what bounds its speed; 0 where that is unknown.
struct DeviceInfo {
  std::string kind; ///< "cuda" or "emulator".
  std::string name; ///< "NVIDIA H200".
  int64_t capabilityMajor = 0, capabilityMinor = 0;
  int64_t multiprocessors = 0;
  double clockHz = 0; ///< Highest clock of the multiprocessors.
  double memoryBytesPerSecond = 0;
  int64_t l2Bytes = 0;
  int64_t memoryBytes = 0;
  int64_t sharedBytesPerBlock = 0; ///< Highest, after opting in.
  /// Whether the device itself reports every access outside an allocation, so
  /// that guard bands would only hide some of them.
  bool checksBounds = false;

  /// The architecture of the capability, "sm_90"; empty where unknown.
  std::string target() const;
};

/// One line for people: "NVIDIA H200 (cuda, sm_90, 132 multiprocessors, …)".
std::string describe(const DeviceInfo &info);

/// That a plan was made for a device with another number of multiprocessors, as
/// a sentence; empty where it was not, or where a number is not known.
std::string describeMisfit(const Plan &plan, const DeviceInfo &device);

/// A value that the device counts, such as ("mma_flops", 4096).
struct DeviceCounter {
  std::string name;
  uint64_t value = 0;
};

/// The time between two points of the queue.
class DeviceTimer {
public:
  virtual ~DeviceTimer() = default;
  virtual Status start() = 0; ///< Enqueues the first point.
  virtual Status stop() = 0;  ///< Enqueues the second point.
  /// Waits for the second point; the time between both.
  virtual Result<double> microseconds() = 0;
};

/// While it lives, work is enqueued but does not begin: a series of short
/// kernels is then timed without the gaps that the host leaves between them.
class QueueHold {
public:
  virtual ~QueueHold() = default;
};

/// The code of a plan, loaded on a device.
class LoadedPlan {
public:
  virtual ~LoadedPlan() = default;
  /// Enqueues launch `index` of the plan; `buffers[i]` is the address of the
  /// plan's buffer i. Errors of the kernel may appear only at synchronize().
  virtual Status launch(size_t index,
                        std::span<const DeviceAddress> buffers) = 0;
};

class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceInfo &info() const = 0;

  /// Memory of exactly `bytes` bytes (0 is allowed), aligned to 256, undefined.
  /// `name` is what messages about it call it.
  virtual Result<DeviceAddress> allocate(int64_t bytes,
                                         const std::string &name) = 0;
  /// Frees what allocate() returned.
  virtual Status free(DeviceAddress address) = 0;

  virtual Status copyToDevice(DeviceAddress to,
                              std::span<const uint8_t> from) = 0;
  virtual Status copyToHost(std::span<uint8_t> to, DeviceAddress from) = 0;
  /// Enqueues the filling of `bytes` bytes.
  virtual Status fill(DeviceAddress address, uint8_t value, int64_t bytes) = 0;

  /// Loads the images that this device runs. `plan` is valid and outlives the
  /// result. The error says why no image of a kernel can run here.
  virtual Result<std::unique_ptr<LoadedPlan>> load(const Plan &plan) = 0;

  /// Waits for all work; the error of a kernel that failed.
  virtual Status synchronize() = 0;

  /// The default measures the time of the host between two synchronize().
  virtual Result<std::unique_ptr<DeviceTimer>> createTimer();
  /// The default holds nothing back. No more than a few hundred pieces of work
  /// may be enqueued, and nothing waited for, while it lives.
  virtual Result<std::unique_ptr<QueueHold>> holdQueue();

  /// What was counted since resetCounters(); empty where nothing is counted.
  virtual std::vector<DeviceCounter> counters() const { return {}; }
  virtual void resetCounters() {}
};

} // namespace convmlir

#endif // CONV_RUNTIME_DEVICE_H
