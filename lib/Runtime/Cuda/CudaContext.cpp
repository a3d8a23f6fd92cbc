//===- CudaContext.cpp - one device with its stream -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"

namespace convmlir::cuda {

Result<std::shared_ptr<const CudaContext>>
CudaContext::open(std::shared_ptr<const Driver> driver, int64_t ordinal) {
  std::shared_ptr<CudaContext> context(new CudaContext(std::move(driver)));
  if (Status status = context->retain(ordinal); !status)
    return status.takeError();
  if (Status status = context->prepare(); !status)
    return status.takeError();
  return std::shared_ptr<const CudaContext>(std::move(context));
}

Result<std::shared_ptr<const CudaContext>>
CudaContext::adoptCurrent(std::shared_ptr<const Driver> driver) {
  std::shared_ptr<CudaContext> context(new CudaContext(std::move(driver)));
  if (Status status = context->adopt(); !status)
    return status.takeError();
  if (Status status = context->prepare(); !status)
    return status.takeError();
  return std::shared_ptr<const CudaContext>(std::move(context));
}

Status CudaContext::retain(int64_t ordinal) {
  int count = 0;
  if (Status status = api->check(api->deviceGetCount(&count), "count devices");
      !status)
    return status;
  if (ordinal < 0 || ordinal >= count)
    return Error{"CUDA device " + std::to_string(ordinal) +
                 " does not exist, the driver has " + std::to_string(count)};
  std::string name = "device " + std::to_string(ordinal);
  if (Status status = api->check(
          api->deviceGet(&device, static_cast<int>(ordinal)), "find " + name);
      !status)
    return status;
  if (Status status = api->check(api->primaryCtxRetain(&context, device),
                                 "create a context on " + name);
      !status)
    return status;
  isRetained = true;
  return {};
}

Status CudaContext::adopt() {
  if (Status status = api->check(api->ctxGetCurrent(&context),
                                 "ask for the current context");
      !status)
    return status;
  if (!context)
    return Error{"CUDA: no context is current on this thread"};
  return api->check(api->ctxGetDevice(&device),
                    "find the device of the current context");
}

Status CudaContext::prepare() {
  if (Status status = enter(); !status)
    return status;
  // Does not wait for the legacy stream, nor that for it: all copies of ours
  // are on this stream, too.
  if (Status status = api->check(api->streamCreate(&queue, streamNonBlocking),
                                 "create a stream");
      !status)
    return status;
  return describeDevice();
}

Status CudaContext::describeDevice() {
  char name[256] = "";
  size_t memory = 0;
  if (Status status = api->check(api->deviceGetName(name, sizeof name, device),
                                 "read the name of the device");
      !status)
    return status;
  if (Status status = api->check(api->deviceTotalMem(&memory, device),
                                 "read the size of the memory");
      !status)
    return status;
  // What a driver does not tell stays 0, "unknown".
  auto attribute = [&](int number) {
    int value = 0;
    api->deviceGetAttribute(&value, number, device);
    return value;
  };
  description.kind = "cuda";
  description.name = name;
  description.memoryBytes = static_cast<int64_t>(memory);
  description.capabilityMajor = attribute(attributeCapabilityMajor);
  description.capabilityMinor = attribute(attributeCapabilityMinor);
  description.multiprocessors = attribute(attributeMultiprocessors);
  description.clockHz = attribute(attributeClockKHz) * 1e3;
  // Two transfers per clock, on all lines of the bus.
  description.memoryBytesPerSecond = 2.0 * attribute(attributeMemoryClockKHz) *
                                     1e3 * attribute(attributeMemoryBusBits) /
                                     8;
  description.l2Bytes = attribute(attributeL2Bytes);
  description.sharedBytesPerBlock = attribute(attributeSharedBytesOptIn);
  return {};
}

CudaContext::~CudaContext() {
  if (!context)
    return;
  if (queue && enter())
    api->streamDestroy(queue);
  if (isRetained)
    api->primaryCtxRelease(device);
}

Status CudaContext::enter() const {
  return api->check(api->ctxSetCurrent(context), "enter the context");
}

Status CudaContext::synchronize() const {
  if (Status status = enter(); !status)
    return status;
  return api->check(api->streamSynchronize(queue), "finish the kernels");
}

} // namespace convmlir::cuda
