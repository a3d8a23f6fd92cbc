//===- Operators.cpp - kernels of our operators ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: calls of conv, conv_dgrad and conv_wgrad for one dispatch key. Output:
// the results of the plan of the call's rule. A call that has none, or that its
// rule cannot serve, is the host program's: its operators compute the results,
// and may add a rule.
//
// The C ABI loses errors of operators that it calls. So those of the host
// program return theirs: a tensor that raises it.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "TheirKernels.h"

#include <bit>

using namespace convmlir;
using namespace convmlir::torch;

/// What the host's operators return: as many results as an operator of ours may
/// have, and an error in their place. All of them are optional.
static constexpr size_t kHostResults = 3, kHostError = 2;

namespace {
/// The tensors of a stack of optional ones; frees those that nobody takes.
class HostResults {
public:
  HostResults(const StableAbi &abi, const Value *stack) : abi(abi) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      std::unique_ptr<Value> optional(std::bit_cast<Value *>(stack[i]));
      if (optional)
        tensors[i] = std::bit_cast<TensorHandle>(*optional);
    }
  }
  ~HostResults() {
    for (TensorHandle tensor : tensors)
      if (tensor)
        abi.deleteTensor(tensor);
  }
  HostResults(const HostResults &) = delete;
  HostResults &operator=(const HostResults &) = delete;

  TensorHandle get(size_t index) const { return tensors[index]; }
  TensorHandle take(size_t index) {
    return std::exchange(tensors[index], nullptr);
  }

private:
  const StableAbi &abi;
  std::array<TensorHandle, kHostResults> tensors{};
};
} // namespace

/// The results of the host program, or its error, which is thrown.
static void runInHost(Kernels &in, const Call &call, const Signature &signature,
                      Value *to) {
  std::vector<Value> stack = call.copyStack();
  std::string name = in.run + "_" + call.getSchema().asks;
  if (!ask(in, name, signature, stack.data()))
    in.abi.raise(__func__, __FILE__, __LINE__,
                 (name + " returned no error, and no result").c_str());
  HostResults results(in.abi, stack.data());
  if (TensorHandle error = results.get(kHostError))
    throwErrorOf(in.abi, error);
  for (size_t i = 0; i < call.getSchema().results; ++i)
    to[i] = std::bit_cast<Value>(results.take(i));
}

static void run(Operator op, Value *stack) {
  Kernels &in = getKernels();
  Call call(in.abi, op, stack);
  Signature signature = call.getSignature();
  std::shared_ptr<const Rule> rule;
  if (call.isReadable() && signature.isComplete())
    rule = in.rules.find(signature.get());
  Slots slots(in.abi, call);
  if (!rule || !runCounted(in, *rule, call, slots))
    return runInHost(in, call, signature, stack);
  for (size_t i = 0; i < call.getSchema().results; ++i)
    stack[i] = std::bit_cast<Value>(slots.takeResult(i));
}

template <Operator op> static void kernel(Value *stack, uint64_t, uint64_t) {
  run(op, stack);
}

Status convmlir::torch::registerOperators(Kernels &in, const std::string &space,
                                          const std::string &key,
                                          bool areBrief) {
  if (areBrief)
    return registerKernels(
        in, space, key,
        {{Operator::BriefConv, kernel<Operator::BriefConv>},
         {Operator::BriefDgrad, kernel<Operator::BriefDgrad>},
         {Operator::BriefWgrad, kernel<Operator::BriefWgrad>}});
  return registerKernels(in, space, key,
                         {{Operator::Conv, kernel<Operator::Conv>},
                          {Operator::Dgrad, kernel<Operator::Dgrad>},
                          {Operator::Wgrad, kernel<Operator::Wgrad>}});
}
