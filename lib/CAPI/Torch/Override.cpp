//===- Override.cpp - kernels of PyTorch's convolutions
//---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: calls of `aten::convolution` and `aten::convolution_backward` for one
// dispatch key. Output: the results of the plans of the call's rule, or of
// PyTorch's own kernel.
//
// A call without a rule first asks: operators of the host program, which may
// add one. They return nothing, and are no part of the result, so that errors
// of PyTorch's kernels reach the user as they are.
//
//===----------------------------------------------------------------------===//

#include "Override.h"
#include "Slots.h"

#include "conv-c/Support.h"

#include <algorithm>
#include <bit>

using namespace convmlir;
using namespace convmlir::torch;

Override &convmlir::torch::getOverride() {
  static Override instance;
  return instance;
}

static thread_local std::span<const int64_t> undecided;

std::span<const int64_t> convmlir::torch::getUndecided() { return undecided; }

/// The rule of a call, after asking for one where there is none, or where the
/// one that is there says so.
static std::shared_ptr<const Rule> findRule(Override &in, const Call &call) {
  Signature signature = call.getSignature();
  if (!call.isReadable() || !signature.isComplete())
    return nullptr;
  std::shared_ptr<const Rule> known = in.rules.find(signature.get());
  if (known && !known->asksAgain)
    return known;
  std::vector<Value> stack = call.copyStack();
  const std::string &decide = call.getOperator() == Operator::Backward
                                  ? in.decideBackward
                                  : in.decideConvolution;
  // Deciding may run convolutions, which are decided about in between.
  auto outer = std::exchange(undecided, signature.get());
  in.abi.callDispatcher(decide.c_str(), "", stack.data(), kAbiVersion);
  undecided = outer;
  // Who decides counts the call where no rule is added.
  std::shared_ptr<const Rule> decided = in.rules.find(signature.get());
  return decided == known ? nullptr : decided;
}

/// True where a rule has made the results. Throws where a plan has failed.
static bool serve(Override &in, const Call &call, Slots &slots) {
  std::shared_ptr<const Rule> rule = findRule(in, call);
  if (!rule)
    return false;
  Outcome outcome = runRule(in.abi, *rule, call, slots);
  ++rule->counts->of(outcome);
  if (outcome == Outcome::Failed)
    in.abi.raise(__func__, __FILE__, __LINE__, convmlir_last_error());
  return outcome == Outcome::Served;
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

static void convolution(Value *stack, uint64_t, uint64_t) {
  Override &in = getOverride();
  Call call(in.abi, Operator::Convolution, stack);
  Slots slots(in.abi, call);
  TensorHandle result =
      serve(in, call, slots) ? slots.take(kInputs) : call.runConvolution();
  stack[0] = std::bit_cast<Value>(result);
}

/// The results of the backward: those in `slots`, and those that are left by
/// PyTorch's kernel.
static std::array<TensorHandle, 3>
completeBackward(const StableAbi &abi, const Call &call, Slots &slots) {
  std::array<bool, 3> left = call.getMask();
  for (int i = 0; i < kInputs; ++i)
    left[i] &= !slots.has(kInputs + i);
  std::array<TensorHandle, 3> results{};
  if (std::ranges::count(left, true) > 0) // May throw: `slots` frees its own.
    results = call.runBackward(left);
  for (int i = 0; i < kInputs; ++i) {
    if (left[i])
      continue;
    // PyTorch's kernel may make more than it is asked for.
    if (results[i])
      abi.deleteTensor(results[i]);
    results[i] = slots.take(kInputs + i);
  }
  return results;
}

static void convolutionBackward(Value *stack, uint64_t, uint64_t) {
  Override &in = getOverride();
  Call call(in.abi, Operator::Backward, stack);
  Slots slots(in.abi, call);
  std::array<TensorHandle, 3> results =
      serve(in, call, slots) ? completeBackward(in.abi, call, slots)
                             : call.runBackward(call.getMask());
  for (int i = 0; i < kInputs; ++i) {
    if (!results[i])
      in.abi.newUndefined(&results[i]);
    stack[i] = std::bit_cast<Value>(results[i]);
  }
}

Status convmlir::torch::registerKernels(Override &in, const std::string &key) {
  LibraryHandle library = nullptr;
  if (in.abi.newLibrary("aten", key.c_str(), __FILE__, __LINE__, &library) != 0)
    return Error{"PyTorch has no dispatch key '" + key + "'"};
  if (in.abi.addKernel(library, "convolution", convolution, kAbiVersion) == 0 &&
      in.abi.addKernel(library, "convolution_backward", convolutionBackward,
                       kAbiVersion) == 0) {
    in.libraries[key] = library;
    return {};
  }
  in.abi.deleteLibrary(library);
  return Error{"PyTorch takes no kernel of aten::convolution for the key '" +
               key + "'"};
}

void convmlir::torch::removeKernels(Override &in, const std::string &key) {
  auto found = in.libraries.find(key);
  if (found == in.libraries.end())
    return;
  in.abi.deleteLibrary(found->second);
  in.libraries.erase(found);
  bool isCpu = key == "CPU";
  int32_t cpu = in.abi.cpuType();
  in.rules.erase([&](std::span<const int64_t> words) {
    return (Signature::getDeviceType(words) == cpu) == isCpu;
  });
}
