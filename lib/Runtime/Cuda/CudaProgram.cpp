//===- CudaProgram.cpp - plans on the caller's streams --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/CudaProgram.h"

#include "CudaPlan.h"
#include "conv/Support/BufferSlot.h"

#include <cstdio>

namespace convmlir {

using namespace cuda;

std::vector<int64_t> operandsOf(const Plan &plan) {
  std::vector<int64_t> operands = plan.buffersOf(BufferRole::Argument);
  for (int64_t index : plan.buffersOf(BufferRole::Result))
    operands.push_back(index);
  return operands;
}

namespace {
class Program : public CudaProgram {
public:
  Program(std::shared_ptr<const Driver> api, std::shared_ptr<const Plan> plan)
      : api(std::move(api)), plan(std::move(plan)),
        operandIndices(operandsOf(*this->plan)),
        workspaceLayout(layOutWorkspace(*this->plan)),
        addresses(this->plan->buffers.size(), 0) {}
  ~Program() override;

  Status load(std::shared_ptr<const CudaContext> in);
  const DeviceInfo &device() const override { return context->info(); }
  Result<std::vector<DeviceAddress>>
  bind(std::span<const DeviceAddress> operands, DeviceAddress workspace,
       int64_t workspaceBytes) const override;
  Status launch(std::span<const DeviceAddress> bound,
                void *stream) const override;

private:
  Status loadConstants();
  Status bindOperands(std::span<const DeviceAddress> operands,
                      std::vector<DeviceAddress> &bound) const;
  Status bindWorkspace(DeviceAddress workspace, int64_t bytes,
                       std::vector<DeviceAddress> &bound) const;

  std::shared_ptr<const Driver> api;
  std::shared_ptr<const Plan> plan;
  std::vector<int64_t> operandIndices;
  WorkspaceLayout workspaceLayout;
  std::shared_ptr<const CudaContext> context;
  std::unique_ptr<CudaPlan> code;
  Address constants = 0;                ///< All in one allocation.
  std::vector<DeviceAddress> addresses; ///< Per buffer; those of constants.
};
} // namespace

Program::~Program() {
  ContextGuard guard(*api);
  if (constants && context->enter())
    api->memFree(constants);
  code.reset();
  context.reset();
}

Status Program::load(std::shared_ptr<const CudaContext> in) {
  context = std::move(in);
  Result<std::unique_ptr<CudaPlan>> loaded = CudaPlan::load(context, *plan);
  if (!loaded)
    return loaded.takeError();
  code = std::move(*loaded);
  return loadConstants();
}

Status Program::loadConstants() {
  int64_t bytes = 0;
  for (const PlanBuffer &buffer : plan->buffers)
    if (buffer.role == BufferRole::Constant)
      bytes += bufferSlot(buffer.bytes());
  if (bytes == 0)
    return {};
  if (Status status =
          api->check(api->memAlloc(&constants, static_cast<size_t>(bytes)),
                     "allocate " + std::to_string(bytes) +
                         " bytes for the constants of the plan");
      !status)
    return status;
  Address next = constants;
  for (size_t i = 0; i < plan->buffers.size(); ++i) {
    const PlanBuffer &buffer = plan->buffers[i];
    if (buffer.role != BufferRole::Constant || buffer.data.empty())
      continue;
    if (Status status = api->check(
            api->memcpyHtoDAsync(next, buffer.data.data(), buffer.data.size(),
                                 context->stream()),
            "copy the constants to the device");
        !status)
      return status;
    addresses[i] = next;
    next += static_cast<Address>(bufferSlot(buffer.bytes()));
  }
  return context->synchronize();
}

static Error badAddress(const std::string &name, DeviceAddress address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(address));
  return Error{name + ": expected a device address that is a multiple of " +
               std::to_string(pointerAlignment) + ", got " + text};
}

static bool isUsable(DeviceAddress address) {
  return address != 0 && address % pointerAlignment == 0;
}

Status Program::bindOperands(std::span<const DeviceAddress> operands,
                             std::vector<DeviceAddress> &bound) const {
  if (operands.size() != operandIndices.size())
    return Error{"expected " + std::to_string(operandIndices.size()) +
                 " operands, got " + std::to_string(operands.size())};
  for (size_t i = 0; i < operands.size(); ++i) {
    size_t index = static_cast<size_t>(operandIndices[i]);
    const PlanBuffer &buffer = plan->buffers[index];
    if (!isUsable(operands[i]) && buffer.bytes() > 0)
      return badAddress(describe(buffer), operands[i]);
    bound[index] = operands[i];
  }
  return {};
}

Status Program::bindWorkspace(DeviceAddress workspace, int64_t bytes,
                              std::vector<DeviceAddress> &bound) const {
  if (workspaceLayout.bytes == 0)
    return {};
  if (bytes < workspaceLayout.bytes)
    return Error{"workspace: expected " +
                 std::to_string(workspaceLayout.bytes) + " bytes, got " +
                 std::to_string(bytes)};
  if (!isUsable(workspace))
    return badAddress("workspace", workspace);
  for (size_t i = 0; i < workspaceLayout.buffers.size(); ++i)
    bound[static_cast<size_t>(workspaceLayout.buffers[i])] =
        workspace + static_cast<DeviceAddress>(workspaceLayout.offsets[i]);
  return {};
}

Result<std::vector<DeviceAddress>>
Program::bind(std::span<const DeviceAddress> operands, DeviceAddress workspace,
              int64_t workspaceBytes) const {
  std::vector<DeviceAddress> bound = addresses;
  if (Status status = bindOperands(operands, bound); !status)
    return status.takeError();
  if (Status status = bindWorkspace(workspace, workspaceBytes, bound); !status)
    return status.takeError();
  return bound;
}

Status Program::launch(std::span<const DeviceAddress> bound,
                       void *stream) const {
  ContextGuard guard(*api);
  if (guard.previous() != context->handle())
    if (Status status = context->enter(); !status)
      return status;
  for (size_t i = 0; i < plan->launches.size(); ++i)
    if (Status status = code->launchOn(static_cast<Stream>(stream), i, bound);
        !status)
      return status;
  return {};
}

static Result<std::shared_ptr<const CudaContext>>
openContext(std::shared_ptr<const Driver> api, int64_t ordinal) {
  return ordinal == currentCudaContext
             ? CudaContext::adoptCurrent(std::move(api))
             : CudaContext::open(std::move(api), ordinal);
}

Result<std::unique_ptr<CudaProgram>>
CudaProgram::load(std::shared_ptr<const Plan> plan, int64_t ordinal,
                  const std::string &library) {
  Result<std::shared_ptr<const Driver>> api = Driver::open(library);
  if (!api)
    return api.takeError();
  ContextGuard guard(**api);
  Result<std::shared_ptr<const CudaContext>> context =
      openContext(*api, ordinal);
  if (!context)
    return context.takeError();
  auto program = std::make_unique<Program>(*api, std::move(plan));
  if (Status status = program->load(std::move(*context)); !status)
    return status.takeError();
  return std::unique_ptr<CudaProgram>(std::move(program));
}

Result<DeviceInfo> describeCudaDevice(int64_t ordinal,
                                      const std::string &library) {
  Result<std::shared_ptr<const Driver>> api = Driver::open(library);
  if (!api)
    return api.takeError();
  ContextGuard guard(**api);
  Result<std::shared_ptr<const CudaContext>> context =
      openContext(*api, ordinal);
  if (!context)
    return context.takeError();
  return (*context)->info();
}

} // namespace convmlir
