//===- Call.h - the arguments of a boxed kernel ------------------*- C++
//-*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the stack of a boxed kernel of `aten::convolution` or
// `aten::convolution_backward`. Output: its tensors, lists and numbers, and the
// signature of the call: everything but addresses, as words.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_CALL_H
#define CONV_LIB_CAPI_TORCH_CALL_H

#include "StableAbi.h"

#include <span>
#include <vector>

namespace convmlir::torch {

enum class Operator : int64_t { Convolution, Backward };

inline constexpr int kMaxRank = 5; ///< N, C and three spatial dimensions.
inline constexpr int kInputs = 3;  ///< Tensors of either operator.

/// The words of a call, on the stack of the caller.
class Signature {
public:
  void add(int64_t word) {
    if (count < words.size())
      words[count] = word;
    ++count;
  }
  /// False where a call has more than there is room for: then it has no rule.
  bool isComplete() const { return count <= words.size(); }
  std::span<const int64_t> get() const {
    return {words.data(), isComplete() ? count : 0};
  }
  /// The second word of what a call adds.
  static int64_t getDeviceType(std::span<const int64_t> words) {
    return words.size() > 1 ? words[1] : -1;
  }

private:
  // Three tensors of up to 3 + 2 * 5 words, six lists of up to 6, and numbers.
  std::array<int64_t, 96> words;
  size_t count = 0;
};

/// The integers of a list.
struct Integers {
  std::array<int64_t, kMaxRank> values;
  size_t count = 0;
  ArrayMirror mirror() const { return {values.data(), count}; }
};

/// Takes the values of a stack over and frees them at the end.
class Call {
public:
  Call(const StableAbi &abi, Operator op, Value *stack);
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  /// False where lists are longer than convolutions have them.
  bool isReadable() const { return readable; }
  Operator getOperator() const { return op; }
  /// Null where the optional bias is not there.
  TensorHandle getInput(int index) const { return inputs[index]; }
  int32_t getDeviceType() const;
  int32_t getDeviceIndex() const;
  Signature getSignature() const;

  /// The arguments once more, as a stack that the dispatcher may take over.
  std::vector<Value> copyStack() const;

  /// Which of the results are asked for.
  std::array<bool, 3> getMask() const;

  /// PyTorch's own kernels. Throw what these throw.
  TensorHandle runConvolution() const;
  std::array<TensorHandle, 3> runBackward(std::array<bool, 3> wanted) const;

private:
  bool readList(Value list, Integers &integers) const;
  Value copyList(const Integers &integers) const;
  void addFlags(Signature &signature) const;
  void addTensor(Signature &signature, TensorHandle tensor) const;
  std::vector<Value> copyInputs() const;

  const StableAbi &abi;
  Operator op;
  std::array<Value, 11> owned{}; ///< What the stack held.
  std::array<TensorHandle, kInputs> inputs{};
  bool hasBiasSizes = false;
  Integers biasSizes, stride, padding, dilation, outputPadding, mask;
  bool transposed = false;
  int64_t groups = 1;
  bool readable = true;
};

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_CALL_H
