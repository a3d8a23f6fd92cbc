//===- Override.cpp - kernels of PyTorch's convolutions -------------------===//
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
#include "TheirKernels.h"

#include <algorithm>
#include <bit>

using namespace convmlir;
using namespace convmlir::torch;

/// The rule of a call, after asking for one where there is none, or where the
/// one that is there says so.
static std::shared_ptr<const Rule> findRule(Kernels &in, const Call &call) {
  Signature signature = call.getSignature();
  if (!call.isReadable() || !signature.isComplete())
    return nullptr;
  std::shared_ptr<const Rule> known = in.rules.find(signature.get());
  if (known && !known->asksAgain)
    return known;
  std::vector<Value> stack = call.copyStack();
  ask(in, in.decide + "_" + call.getSchema().asks, signature, stack.data());
  // Who decides counts the call where no rule is added.
  std::shared_ptr<const Rule> decided = in.rules.find(signature.get());
  return decided == known ? nullptr : decided;
}

/// True where a rule has made the results. Throws where a plan has failed.
static bool serve(Kernels &in, const Call &call, Slots &slots) {
  std::shared_ptr<const Rule> rule = findRule(in, call);
  return rule && runCounted(in, *rule, call, slots);
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

static void convolution(Value *stack, uint64_t, uint64_t) {
  Kernels &in = getKernels();
  Call call(in.abi, Operator::Convolution, stack);
  Slots slots(in.abi, call);
  TensorHandle result = serve(in, call, slots)
                            ? slots.takeResult(0)
                            : runTheirConvolution(in.abi, call);
  stack[0] = std::bit_cast<Value>(result);
}

/// The results of the backward: those in `slots`, and those that are left by
/// PyTorch's kernel.
static std::array<TensorHandle, kGradients>
completeBackward(const StableAbi &abi, const Call &call, Slots &slots) {
  std::array<bool, kGradients> left = getMask(call);
  for (size_t i = 0; i < kGradients; ++i)
    left[i] &= !slots.hasResult(i);
  std::array<TensorHandle, kGradients> results{};
  if (std::ranges::count(left, true) > 0) // May throw: `slots` frees its own.
    results = runTheirBackward(abi, call, left);
  for (size_t i = 0; i < kGradients; ++i) {
    if (left[i])
      continue;
    // PyTorch's kernel may make more than it is asked for.
    if (results[i])
      abi.deleteTensor(results[i]);
    results[i] = slots.takeResult(i);
  }
  return results;
}

static void convolutionBackward(Value *stack, uint64_t, uint64_t) {
  Kernels &in = getKernels();
  Call call(in.abi, Operator::Backward, stack);
  Slots slots(in.abi, call);
  std::array<TensorHandle, kGradients> results =
      serve(in, call, slots) ? completeBackward(in.abi, call, slots)
                             : runTheirBackward(in.abi, call, getMask(call));
  for (size_t i = 0; i < kGradients; ++i) {
    if (!results[i])
      in.abi.newUndefined(&results[i]);
    stack[i] = std::bit_cast<Value>(results[i]);
  }
}

Status convmlir::torch::registerOverride(Kernels &in, const std::string &key) {
  return registerKernels(in, "aten", key,
                         {{Operator::Convolution, convolution},
                          {Operator::Backward, convolutionBackward}});
}
