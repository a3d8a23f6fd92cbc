//===- Slots.cpp - tensors of a call, and rules run on them ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots.h"

#include "conv-c/Compiler.h"
#include "conv/Runtime/CudaProgram.h"

#include <algorithm>
#include <bit>

using namespace convmlir;
using namespace convmlir::torch;

/// As a value of an optional argument.
static Value optionalCode(std::optional<int32_t> code) {
  return code ? makeOptional(static_cast<uint32_t>(*code)) : 0;
}

/// Calls an operator of PyTorch that takes a tensor and more, and returns a
/// tensor; takes `tensor` over.
template <size_t count>
static bool call(const StableAbi &abi, const char *name, const char *overload,
                 TensorHandle &tensor, std::array<Value, count> rest) {
  std::array<Value, count + 1> stack{std::bit_cast<Value>(tensor)};
  std::ranges::copy(rest, stack.begin() + 1);
  tensor = nullptr;
  if (abi.callDispatcher(name, overload, stack.data(), kAbiVersion) != 0)
    return false;
  tensor = std::bit_cast<TensorHandle>(stack[0]);
  return true;
}

/// As many elements as a vector has; takes `tensor` over.
static bool expand(const StableAbi &abi, TensorHandle &tensor, int64_t extent) {
  ListHandle extents = nullptr;
  abi.newList(1, &extents);
  abi.pushBack(extents, static_cast<Value>(extent));
  constexpr Value implicit = false;
  return call<2>(abi, "aten::expand", "", tensor,
                 {std::bit_cast<Value>(extents), implicit});
}

bool Slots::convert(const RuleConversion &conversion) {
  constexpr Value rowDim = 2;
  TensorHandle copy = nullptr;
  if (!tensors[conversion.slot] ||
      abi.newHandle(tensors[conversion.slot], &copy) != 0)
    return false;
  if (conversion.isLine && !call<1>(abi, "aten::unsqueeze", "", copy, {rowDim}))
    return false;
  if (conversion.extent && !expand(abi, copy, *conversion.extent))
    return false;
  // _to_copy(Tensor self, *, ScalarType? dtype, Layout? layout, Device? device,
  //          bool? pin_memory, bool non_blocking, MemoryFormat? memory_format)
  if (!call<6>(abi, "aten::_to_copy", "", copy,
               {optionalCode(conversion.dtype), 0, 0, 0, 0,
                optionalCode(conversion.format)}))
    return false;
  if (conversion.isLine &&
      !call<1>(abi, "aten::squeeze", "dim", copy, {rowDim}))
    return false;
  tensors[conversion.slot] = copy;
  isConverted[conversion.slot] = true;
  return true;
}

bool Slots::make(const RuleResult &result, int32_t deviceType,
                 int32_t deviceIndex) {
  int32_t dtype = 0;
  if (result.dtype)
    dtype = *result.dtype;
  else
    abi.getDtype(tensors[result.like], &dtype);
  return abi.emptyStrided(static_cast<int64_t>(result.extents.size()),
                          result.extents.data(), result.strides.data(), dtype,
                          deviceType, deviceIndex, &tensors[result.slot]) == 0;
}

void *Slots::getAddress(int slot) const {
  void *address = nullptr;
  if (tensors[slot])
    abi.getDataPointer(tensors[slot], &address);
  return std::bit_cast<uintptr_t>(address) % pointerAlignment ? nullptr
                                                              : address;
}

namespace {
/// Memory for one run, from PyTorch's allocator: on the current stream, where
/// the run is, it may be used again as soon as the run is enqueued.
class Workspace {
public:
  Workspace(const StableAbi &abi, const Call &call, size_t bytes) : abi(abi) {
    auto extent = static_cast<int64_t>(bytes);
    constexpr int64_t stride = 1;
    if (bytes > 0)
      abi.emptyStrided(1, &extent, &stride, abi.dtypeOfBytes(),
                       call.getDeviceType(), call.getDeviceIndex(), &tensor);
  }
  ~Workspace() {
    if (tensor)
      abi.deleteTensor(tensor);
  }
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  void *get() const {
    void *address = nullptr;
    if (tensor)
      abi.getDataPointer(tensor, &address);
    return address;
  }

private:
  const StableAbi &abi;
  TensorHandle tensor = nullptr;
};
} // namespace

static Outcome outcomeOf(convmlir_status status) {
  return status == CONVMLIR_OK ? Outcome::Served : Outcome::Failed;
}

static Outcome runStep(const StableAbi &abi, const RuleStep &step,
                       const Call &call, const Slots &slots) {
  std::array<void *, kMaxSlots> addresses;
  for (size_t i = 0; i < step.slots.size(); ++i)
    if (!(addresses[i] = slots.getAddress(step.slots[i])))
      return Outcome::Unaligned;
  if (step.plan)
    return outcomeOf(
        convmlir_emulate(step.plan, addresses.data(), step.slots.size()));
  Workspace workspace(abi, call, step.workspaceBytes);
  void *stream = nullptr;
  if ((step.workspaceBytes > 0 && !workspace.get()) ||
      abi.currentStream(call.getDeviceIndex(), &stream) != 0)
    return Outcome::Refused;
  return outcomeOf(convmlir_program_launch(step.program, addresses.data(),
                                           step.slots.size(), workspace.get(),
                                           step.workspaceBytes, stream));
}

Outcome convmlir::torch::runRule(const StableAbi &abi, const Rule &rule,
                                 const Call &call, Slots &slots) {
  if (rule.steps.empty() || rule.results.empty())
    return Outcome::HandedOn;
  for (const RuleConversion &conversion : rule.conversions)
    if (!slots.convert(conversion))
      return Outcome::Refused;
  for (const RuleResult &result : rule.results)
    if (!slots.make(result, call.getDeviceType(), call.getDeviceIndex()))
      return Outcome::Refused;
  for (const RuleStep &step : rule.steps)
    if (Outcome outcome = runStep(abi, step, call, slots);
        outcome != Outcome::Served)
      return outcome;
  return Outcome::Served;
}
