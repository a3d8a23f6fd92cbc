//===- Jax.cpp - the handlers of convolutions in programs of XLA ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call names its plan, which is looked up in the table; then the plan runs on
// the call's buffers.
//
//===----------------------------------------------------------------------===//

#include "conv-c/Jax.h"
#include "Ffi.h"
#include "Plans.h"
#include "conv-c/Compiler.h"

#include <optional>
#include <vector>

using namespace convmlir;
using namespace convmlir::capi;
using namespace convmlir::jax;

convmlir_status convmlir_jax_add_plan(const char *name,
                                      const convmlir_plan *plan) {
  return guarded([&] {
    if (!name || !plan)
      return missing(name ? "plan" : "name");
    getPlans().add(name, *plan);
    return CONVMLIR_OK;
  });
}

//===----------------------------------------------------------------------===//
// What a call has
//===----------------------------------------------------------------------===//

/// The call's attribute `plan`; empty where there is none.
static std::string_view getPlanName(const Attributes &attributes) {
  for (int64_t i = 0; i < attributes.count; ++i) {
    const Span &name = *attributes.names[i];
    if (std::string_view(name.data, name.size) != "plan" ||
        attributes.kinds[i] != AttributeKind::String)
      continue;
    const auto &value = *static_cast<const Span *>(attributes.values[i]);
    return {value.data, value.size};
  }
  return {};
}

static DataType toDataType(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return DataType::F16;
  case ElementType::BF16:
    return DataType::BF16;
  case ElementType::TF32:
  case ElementType::F32:
    return DataType::F32;
  case ElementType::F64:
    return DataType::F64;
  case ElementType::S8:
    return DataType::S8;
  case ElementType::S32:
    return DataType::S32;
  case ElementType::E4M3:
    return DataType::E4M3;
  case ElementType::E5M2:
    return DataType::E5M2;
  }
  return DataType::Invalid;
}

static std::vector<const Buffer *> getBuffers(const CallFrame &frame) {
  std::vector<const Buffer *> buffers;
  for (const Buffers *some : {&frame.arguments, &frame.results})
    buffers.insert(buffers.end(), some->buffers, some->buffers + some->count);
  return buffers;
}

static bool fits(const Buffer &buffer, const PlanBuffer &operand) {
  std::span<const int64_t> extents(buffer.extents,
                                   static_cast<size_t>(buffer.rank));
  return toDataType(operand.type) == buffer.type &&
         std::ranges::equal(extents, operand.shape);
}

/// Checks the buffers against the plan's operands, without the workspace.
static convmlir_status check(const convmlir_plan &handle,
                             std::span<const Buffer *const> buffers) {
  const Plan &plan = *handle.plan;
  if (buffers.size() != handle.operands.size())
    return badInput("expected " + std::to_string(handle.operands.size()) +
                    " buffers, got " + std::to_string(buffers.size()));
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PlanBuffer &operand =
        plan.buffers[static_cast<size_t>(handle.operands[i])];
    if (!fits(*buffers[i], operand))
      return badInput("buffer " + std::to_string(i) +
                      " has not the type and shape of " + operand.name);
  }
  return CONVMLIR_OK;
}

static std::vector<void *>
getAddresses(std::span<const Buffer *const> buffers) {
  std::vector<void *> addresses;
  for (const Buffer *buffer : buffers)
    addresses.push_back(buffer->data);
  return addresses;
}

//===----------------------------------------------------------------------===//
// The stages of a call
//===----------------------------------------------------------------------===//

static convmlir_status emulate(const CallFrame &frame, PlanEntry &entry) {
  if (frame.stage != Stage::Execute)
    return CONVMLIR_OK;
  std::vector<const Buffer *> buffers = getBuffers(frame);
  if (convmlir_status status = check(entry.getPlan(), buffers))
    return status;
  std::vector<void *> addresses = getAddresses(buffers);
  return convmlir_emulate(&entry.getPlan(), addresses.data(), addresses.size());
}

/// Whether XLA did what it was asked for; frees the error.
static bool succeeded(const Api &api, FfiError *error) {
  if (!error)
    return true;
  ErrorHandle handle{sizeof(ErrorHandle), nullptr, error};
  api.destroyError(&handle);
  return false;
}

/// XLA's number of the device, which is CUDA's; empty where it gives none.
static std::optional<int32_t> getDevice(const CallFrame &frame) {
  DeviceRequest request{sizeof(DeviceRequest), nullptr, frame.context, 0};
  if (!succeeded(*frame.api, frame.api->getDevice(&request)))
    return std::nullopt;
  return request.device;
}

static std::optional<void *> getStream(const CallFrame &frame) {
  StreamRequest request{sizeof(StreamRequest), nullptr, frame.context, nullptr};
  if (!succeeded(*frame.api, frame.api->getStream(&request)))
    return std::nullopt;
  return request.stream;
}

/// Enqueues the plan on XLA's stream; the last buffer may be the workspace.
static convmlir_status enqueue(const CallFrame &frame, const PlanEntry &entry,
                               const convmlir_program *program) {
  std::vector<const Buffer *> buffers = getBuffers(frame);
  const Buffer *workspace = nullptr;
  if (buffers.size() == entry.getPlan().operands.size() + 1) {
    workspace = buffers.back();
    buffers.pop_back();
  }
  if (convmlir_status status = check(entry.getPlan(), buffers))
    return status;
  std::optional<void *> stream = getStream(frame);
  if (!stream)
    return deviceFailed("XLA gives no stream");
  std::vector<void *> addresses = getAddresses(buffers);
  size_t bytes = workspace && workspace->rank == 1
                     ? static_cast<size_t>(workspace->extents[0])
                     : 0;
  return convmlir_program_launch(program, addresses.data(), addresses.size(),
                                 workspace ? workspace->data : nullptr, bytes,
                                 *stream);
}

static convmlir_status launch(const CallFrame &frame, PlanEntry &entry) {
  if (frame.stage != Stage::Initialise && frame.stage != Stage::Execute)
    return CONVMLIR_OK;
  std::optional<int32_t> device = getDevice(frame);
  if (!device)
    return deviceFailed("XLA gives no device");
  if (frame.stage == Stage::Initialise)
    return entry.load(*device);
  const convmlir_program *program = entry.find(*device);
  if (!program)
    return deviceFailed("the plan is not loaded on device " +
                        std::to_string(*device));
  return enqueue(frame, entry, program);
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

/// Answers XLA's question before the first call; false where there is none.
static bool describe(const CallFrame &frame, uint32_t traits) {
  if (!frame.extensions || frame.extensions->kind != ExtensionKind::Metadata)
    return false;
  auto *extension = reinterpret_cast<MetadataExtension *>(frame.extensions);
  extension->metadata->version =
      Version{sizeof(Version), nullptr, kVersionMajor, kVersionMinor};
  extension->metadata->traits = traits;
  return true;
}

static FfiError *makeError(const CallFrame &frame, ErrorCode code,
                           const std::string &message) {
  std::string whole = "conv_mlir: " + message;
  ErrorRequest request{sizeof(ErrorRequest), nullptr, whole.c_str(), code};
  return frame.api->createError(&request);
}

using Action = convmlir_status (*)(const CallFrame &, PlanEntry &);

static FfiError *run(const CallFrame &frame, Action action) {
  std::string_view name = getPlanName(frame.attributes);
  PlanEntry *entry = getPlans().find(name);
  if (!entry)
    return makeError(frame, ErrorCode::NotFound,
                     "no plan named '" + std::string(name) +
                         "' in this process: it is made where JAX lowers the "
                         "program");
  convmlir_status status = guarded([&] { return action(frame, *entry); });
  if (status == CONVMLIR_OK)
    return nullptr;
  ErrorCode code = status == CONVMLIR_BAD_INPUT ? ErrorCode::InvalidArgument
                                                : ErrorCode::Internal;
  return makeError(frame, code,
                   std::string(name) + ": " + convmlir_last_error());
}

void *convmlir_jax_emulate(void *frame) {
  const auto &call = *static_cast<const CallFrame *>(frame);
  return describe(call, 0) ? nullptr : run(call, emulate);
}

void *convmlir_jax_launch(void *frame) {
  const auto &call = *static_cast<const CallFrame *>(frame);
  return describe(call, kIsRecordable) ? nullptr : run(call, launch);
}
