//===- Executor.cpp - checked runs of a plan ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Executor.h"

namespace convmlir {

Result<std::unique_ptr<Executor>>
Executor::create(Device &device, const Plan &plan,
                 const ExecutorOptions &options) {
  std::unique_ptr<Executor> executor(new Executor(device, plan, options));
  if (Status status = executor->allocate(); !status)
    return status.takeError();
  Result<std::unique_ptr<LoadedPlan>> loaded = device.load(plan);
  if (!loaded)
    return loaded.takeError();
  executor->loaded = std::move(*loaded);
  return executor;
}

Status Executor::allocate() {
  int64_t guardBytes = device.info().checksBounds ? 0 : options.guardBytes;
  for (const PlanBuffer &buffer : plan.buffers) {
    Result<DeviceBuffer> memory = DeviceBuffer::create(
        device, describe(buffer), buffer.bytes(), guardBytes);
    if (!memory)
      return memory.takeError();
    if (buffer.role == BufferRole::Constant)
      if (Status status = memory->upload(buffer.data); !status)
        return status;
    addresses.push_back(memory->address());
    buffers.push_back(std::move(*memory));
  }
  isSet.assign(plan.buffers.size(), false);
  return {};
}

/// The index of the buffer with that role and position.
static Result<size_t> findBuffer(const Plan &plan, BufferRole role,
                                 int64_t position) {
  std::vector<int64_t> indices = plan.buffersOf(role);
  if (position >= 0 && position < static_cast<int64_t>(indices.size()))
    return static_cast<size_t>(indices[static_cast<size_t>(position)]);
  return Error{std::string(toString(role)) + " " + std::to_string(position) +
               " does not exist, the plan has " +
               std::to_string(indices.size())};
}

static std::string typeText(ElementType type, const Shape &shape) {
  return toString(shape) + " of " + toString(type);
}

Status Executor::setArgument(int64_t position, const Tensor &value) {
  Result<size_t> index = findBuffer(plan, BufferRole::Argument, position);
  if (!index)
    return index.takeError();
  const PlanBuffer &buffer = plan.buffers[*index];
  if (value.type() != buffer.type || value.shape() != buffer.shape)
    return Error{describe(buffer) + ": expected " +
                 typeText(buffer.type, buffer.shape) + ", got " +
                 typeText(value.type(), value.shape())};
  isSet[*index] = true;
  return buffers[*index].upload(value.bytes());
}

Status Executor::expectArguments() const {
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].role == BufferRole::Argument && !isSet[i])
      return Error{describe(plan.buffers[i]) + " has no value"};
  return {};
}

Status Executor::enqueue(const std::vector<DeviceAddress> &addresses) {
  for (size_t i = 0; i < plan.launches.size(); ++i)
    if (Status status = loaded->launch(i, addresses); !status)
      return status;
  return {};
}

static bool isWritten(BufferRole role) {
  return role == BufferRole::Result || role == BufferRole::Workspace;
}

Status Executor::run() {
  if (Status status = expectArguments(); !status)
    return status;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (options.poison && isWritten(plan.buffers[i].role))
      if (Status status = buffers[i].poison(); !status)
        return status;
  if (Status status = enqueue(addresses); !status)
    return status;
  if (Status status = device.synchronize(); !status)
    return status;
  for (const DeviceBuffer &buffer : buffers)
    if (Status status = buffer.checkGuards(); !status)
      return status;
  return {};
}

Result<Tensor> Executor::result(int64_t position) const {
  Result<size_t> index = findBuffer(plan, BufferRole::Result, position);
  if (!index)
    return index.takeError();
  const PlanBuffer &buffer = plan.buffers[*index];
  Result<Tensor> tensor = Tensor::create(buffer.type, buffer.shape);
  if (!tensor)
    return tensor;
  if (Status status = buffers[*index].download(tensor->bytes()); !status)
    return status.takeError();
  return tensor;
}

} // namespace convmlir
