//===- Slots.h - the tensors of a call, and rules run on them ----*- C++
//-*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_SLOTS_H
#define CONV_LIB_CAPI_TORCH_SLOTS_H

#include "Rules.h"

namespace convmlir::torch {

/// The tensors of a call by slot; frees those that it has made.
class Slots {
public:
  Slots(const StableAbi &abi, const Call &call) : abi(abi) {
    for (int i = 0; i < kInputs; ++i)
      tensors[i] = call.getInput(i);
  }
  ~Slots() {
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i] && (i >= kInputs || isConverted[i]))
        abi.deleteTensor(tensors[i]);
  }
  Slots(const Slots &) = delete;
  Slots &operator=(const Slots &) = delete;

  bool has(int slot) const { return tensors[slot]; }
  bool convert(const RuleConversion &conversion);
  bool make(const RuleResult &result, int32_t deviceType, int32_t deviceIndex);
  /// Null where there is no tensor, or its address is no multiple of 16.
  void *getAddress(int slot) const;
  /// Hands a result over.
  TensorHandle take(int slot);

private:
  const StableAbi &abi;
  std::array<TensorHandle, 2 * kInputs> tensors{};
  std::array<bool, kInputs> isConverted{};
};

/// Makes the results of a rule.
Outcome runRule(const StableAbi &abi, const Rule &rule, const Call &call,
                Slots &slots);

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_SLOTS_H
