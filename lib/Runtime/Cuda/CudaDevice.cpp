//===- CudaDevice.cpp - a CUDA GPU as a device ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/CudaDevice.h"

#include "CudaContext.h"
#include "CudaPlan.h"
#include "CudaTiming.h"

#include <algorithm>

namespace convmlir {

using namespace cuda;

static std::string byteText(size_t bytes) {
  return std::to_string(bytes) + " bytes";
}

namespace {
class CudaDevice : public Device {
public:
  explicit CudaDevice(std::shared_ptr<const CudaContext> context)
      : context(std::move(context)) {}

  const DeviceInfo &info() const override { return context->info(); }

  Result<DeviceAddress> allocate(int64_t bytes,
                                 const std::string &name) override;
  Status free(DeviceAddress address) override;
  Status copyToDevice(DeviceAddress to, std::span<const uint8_t> from) override;
  Status copyToHost(std::span<uint8_t> to, DeviceAddress from) override;
  Status fill(DeviceAddress address, uint8_t value, int64_t bytes) override;
  Result<std::unique_ptr<LoadedPlan>> load(const Plan &plan) override;
  Status synchronize() override { return context->synchronize(); }
  Result<std::unique_ptr<DeviceTimer>> createTimer() override;
  Result<std::unique_ptr<QueueHold>> holdQueue() override;

private:
  const Driver &api() const { return context->driver(); }

  std::shared_ptr<const CudaContext> context;
};
} // namespace

Result<DeviceAddress> CudaDevice::allocate(int64_t bytes,
                                           const std::string &name) {
  if (Status status = context->enter(); !status)
    return status.takeError();
  Address address = 0;
  // The driver refuses empty allocations.
  size_t size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  if (Status status =
          api().check(api().memAlloc(&address, size),
                      "allocate " + byteText(size) + " for " + name);
      !status)
    return status.takeError();
  return DeviceAddress(address);
}

Status CudaDevice::free(DeviceAddress address) {
  if (Status status = context->enter(); !status)
    return status;
  return api().check(api().memFree(address), "free memory");
}

Status CudaDevice::copyToDevice(DeviceAddress to,
                                std::span<const uint8_t> from) {
  if (from.empty())
    return {};
  if (Status status = context->enter(); !status)
    return status;
  Code code =
      api().memcpyHtoDAsync(to, from.data(), from.size(), context->stream());
  if (Status status =
          api().check(code, "copy " + byteText(from.size()) + " to the device");
      !status)
    return status;
  return context->synchronize();
}

Status CudaDevice::copyToHost(std::span<uint8_t> to, DeviceAddress from) {
  if (to.empty())
    return {};
  if (Status status = context->enter(); !status)
    return status;
  Code code =
      api().memcpyDtoHAsync(to.data(), from, to.size(), context->stream());
  if (Status status =
          api().check(code, "copy " + byteText(to.size()) + " from the device");
      !status)
    return status;
  return context->synchronize();
}

Status CudaDevice::fill(DeviceAddress address, uint8_t value, int64_t bytes) {
  if (bytes == 0)
    return {};
  if (Status status = context->enter(); !status)
    return status;
  size_t size = static_cast<size_t>(bytes);
  return api().check(
      api().memsetD8Async(address, value, size, context->stream()),
      "fill " + byteText(size));
}

Result<std::unique_ptr<LoadedPlan>> CudaDevice::load(const Plan &plan) {
  Result<std::unique_ptr<CudaPlan>> loaded = CudaPlan::load(context, plan);
  if (!loaded)
    return loaded.takeError();
  return std::unique_ptr<LoadedPlan>(std::move(*loaded));
}

Result<std::unique_ptr<DeviceTimer>> CudaDevice::createTimer() {
  return createCudaTimer(context);
}

Result<std::unique_ptr<QueueHold>> CudaDevice::holdQueue() {
  return holdCudaQueue(context);
}

Result<std::unique_ptr<Device>> openCudaDevice(int64_t ordinal,
                                               const std::string &library) {
  Result<std::shared_ptr<const Driver>> driver = Driver::open(library);
  if (!driver)
    return driver.takeError();
  Result<std::shared_ptr<const CudaContext>> context =
      CudaContext::open(std::move(*driver), ordinal);
  if (!context)
    return context.takeError();
  return std::unique_ptr<Device>(
      std::make_unique<CudaDevice>(std::move(*context)));
}

} // namespace convmlir
