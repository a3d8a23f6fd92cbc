//===- Device.cpp - defaults of the device interface ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Device.h"

#include <chrono>
#include <cstdio>

namespace convmlir {

namespace {
class HostTimer : public DeviceTimer {
  using Clock = std::chrono::steady_clock;

public:
  explicit HostTimer(Device &device) : device(device) {}

  Status start() override { return mark(begin); }
  Status stop() override { return mark(end); }
  Result<double> microseconds() override {
    return std::chrono::duration<double, std::micro>(end - begin).count();
  }

private:
  Status mark(Clock::time_point &point) {
    Status status = device.synchronize();
    point = Clock::now();
    return status;
  }

  Device &device;
  Clock::time_point begin, end;
};
} // namespace

Result<std::unique_ptr<DeviceTimer>> Device::createTimer() {
  return std::unique_ptr<DeviceTimer>(std::make_unique<HostTimer>(*this));
}

Result<std::unique_ptr<QueueHold>> Device::holdQueue() {
  return std::make_unique<QueueHold>();
}

std::string DeviceInfo::target() const {
  if (capabilityMajor == 0)
    return {};
  return "sm_" + std::to_string(capabilityMajor) +
         std::to_string(capabilityMinor);
}

std::string describeMisfit(const Plan &plan, const DeviceInfo &device) {
  if (plan.multiprocessors == 0 || device.multiprocessors == 0 ||
      plan.multiprocessors == device.multiprocessors)
    return {};
  return "the plan was made for " + std::to_string(plan.multiprocessors) +
         " multiprocessors, but " + device.name + " has " +
         std::to_string(device.multiprocessors) +
         ": its results are right, and it may be slower than a plan that is "
         "compiled for this device";
}

std::string describe(const DeviceInfo &info) {
  std::string text = info.name + " (" + info.kind;
  if (!info.target().empty())
    text += ", " + info.target();
  if (info.multiprocessors > 0)
    text += ", " + std::to_string(info.multiprocessors) + " multiprocessors";
  char number[64];
  if (info.clockHz > 0) {
    std::snprintf(number, sizeof number, ", %.2f GHz", info.clockHz * 1e-9);
    text += number;
  }
  if (info.memoryBytesPerSecond > 0) {
    std::snprintf(number, sizeof number, ", %.0f GB/s",
                  info.memoryBytesPerSecond * 1e-9);
    text += number;
  }
  return text + ")";
}

} // namespace convmlir
