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

Outcome Slots::convert(const RuleConversion &conversion, const Call &call) {
  if (!tensors[conversion.slot])
    return Outcome::Refused;
  if (conversion.byPlan && getAddress(conversion.slot))
    return copyByPlan(*conversion.byPlan, call);
  return copyByPyTorch(conversion) ? Outcome::Served : Outcome::Refused;
}

bool Slots::copyByPyTorch(const RuleConversion &conversion) {
  constexpr Value rowDim = 2;
  TensorHandle copy = nullptr;
  if (abi.newHandle(tensors[conversion.slot], &copy) != 0)
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

TensorHandle Slots::makeTensor(const RuleResult &result,
                               const Call &call) const {
  int32_t dtype = 0;
  if (result.dtype)
    dtype = *result.dtype;
  else
    abi.getDtype(tensors[result.like], &dtype);
  TensorHandle made = nullptr;
  int32_t status =
      abi.emptyStrided(static_cast<int64_t>(result.extents.size()),
                       result.extents.data(), result.strides.data(), dtype,
                       call.getDeviceType(), call.getDeviceIndex(), &made);
  return status == 0 ? made : nullptr;
}

bool Slots::make(const RuleResult &result, const Call &call) {
  tensors[result.slot] = makeTensor(result, call);
  return tensors[result.slot] != nullptr;
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

/// Runs a plan on the addresses of its operands.
static Outcome launch(const StableAbi &abi, const convmlir_program *program,
                      const convmlir_plan *plan, size_t workspaceBytes,
                      const Call &call, std::span<void *const> addresses) {
  if (plan)
    return outcomeOf(
        convmlir_emulate(plan, addresses.data(), addresses.size()));
  Workspace workspace(abi, call, workspaceBytes);
  void *stream = nullptr;
  if ((workspaceBytes > 0 && !workspace.get()) ||
      abi.currentStream(call.getDeviceIndex(), &stream) != 0)
    return Outcome::Refused;
  return outcomeOf(convmlir_program_launch(program, addresses.data(),
                                           addresses.size(), workspace.get(),
                                           workspaceBytes, stream));
}

static Outcome runStep(const StableAbi &abi, const RuleStep &step,
                       const Call &call, const Slots &slots) {
  std::array<void *, kMaxSlots> addresses;
  for (size_t i = 0; i < step.slots.size(); ++i)
    if (!(addresses[i] = slots.getAddress(step.slots[i])))
      return Outcome::Unaligned;
  return launch(abi, step.program, step.plan, step.workspaceBytes, call,
                {addresses.data(), step.slots.size()});
}

Outcome Slots::copyByPlan(const RuleCopy &byPlan, const Call &call) {
  int32_t slot = byPlan.copy.slot;
  std::array<void *, 2> addresses{getAddress(slot)};
  TensorHandle copy = makeTensor(byPlan.copy, call);
  if (!copy)
    return Outcome::Refused;
  tensors[slot] = copy;
  isConverted[slot] = true;
  addresses[1] = getAddress(slot);
  return launch(abi, byPlan.program, byPlan.plan, 0, call, addresses);
}

Outcome convmlir::torch::runRule(const StableAbi &abi, const Rule &rule,
                                 const Call &call, Slots &slots) {
  if (rule.steps.empty() || rule.results.empty())
    return Outcome::HandedOn;
  for (const RuleConversion &conversion : rule.conversions)
    if (Outcome outcome = slots.convert(conversion, call);
        outcome != Outcome::Served)
      return outcome;
  for (const RuleResult &result : rule.results)
    if (!slots.make(result, call))
      return Outcome::Refused;
  for (const RuleStep &step : rule.steps)
    if (Outcome outcome = runStep(abi, step, call, slots);
        outcome != Outcome::Served)
      return outcome;
  return Outcome::Served;
}
