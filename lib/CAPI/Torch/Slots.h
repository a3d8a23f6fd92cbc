//===- Slots.h - tensors of a call, and rules run on them -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_SLOTS_H
#define CONV_LIB_CAPI_TORCH_SLOTS_H

#include "Rules.h"

#include <utility>

namespace convmlir::torch {

/// The tensors of a call by slot; frees those that it has made.
class Slots {
public:
  Slots(const StableAbi &abi, const Call &call)
      : abi(abi), inputs(call.getSchema().inputs) {
    for (size_t i = 0; i < inputs; ++i)
      tensors[i] = call.getInput(i);
  }
  ~Slots() {
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i] && (i >= inputs || isConverted[i]))
        abi.deleteTensor(tensors[i]);
  }
  Slots(const Slots &) = delete;
  Slots &operator=(const Slots &) = delete;

  bool hasResult(size_t index) const { return tensors[inputs + index]; }
  Outcome convert(const RuleConversion &conversion, const Call &call);
  bool make(const RuleResult &result, const Call &call);
  /// Null where there is no tensor, or its address is no multiple of 16.
  void *getAddress(int slot) const;
  /// Hands a result over.
  TensorHandle takeResult(size_t index) {
    return std::exchange(tensors[inputs + index], nullptr);
  }

private:
  bool copyByPyTorch(const RuleConversion &conversion);
  /// Of a tensor whose address is a multiple of 16.
  Outcome copyByPlan(const RuleCopy &byPlan, const Call &call);
  /// A new tensor, or null.
  TensorHandle makeTensor(const RuleResult &result, const Call &call) const;

  const StableAbi &abi;
  size_t inputs;
  std::array<TensorHandle, kMaxSlots> tensors{};
  std::array<bool, kMaxInputs> isConverted{};
};

/// Makes the results of a rule.
Outcome runRule(const StableAbi &abi, const Rule &rule, const Call &call,
                Slots &slots);

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_SLOTS_H
