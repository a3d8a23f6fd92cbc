//===- Call.h - the arguments of a boxed kernel -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the stack of a boxed kernel of an operator that Schema.h knows.
// Output: its tensors, lists and numbers, and the signature of the call:
// everything but addresses, as words.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_CALL_H
#define CONV_LIB_CAPI_TORCH_CALL_H

#include "Schema.h"
#include "StableAbi.h"

#include <span>
#include <vector>

namespace convmlir::torch {

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
  // Three images of up to 5 + 2 * 5 words, two vectors of 7, lists, numbers,
  // and a text: what has more is a call that no kernel of ours computes.
  std::array<int64_t, 128> words;
  size_t count = 0;
};

/// The integers of a list: at most a low and a high end for each dimension.
struct Integers {
  std::array<int64_t, 6> values;
  size_t count = 0;
  bool isThere = true; ///< False where the optional list is not there.
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
  const Schema &getSchema() const { return schema; }
  /// Null where an optional one is not there.
  TensorHandle getInput(size_t index) const { return inputs[index]; }
  /// Of the lists alone.
  const Integers &getList(size_t index) const { return lists[index]; }
  /// Of all arguments.
  int64_t getNumber(size_t argument) const {
    return static_cast<int64_t>(owned[argument]);
  }
  bool isSet(size_t argument) const { return (owned[argument] & 0xff) != 0; }

  int32_t getDeviceType() const;
  int32_t getDeviceIndex() const;
  Signature getSignature() const;

  /// The arguments once more, as a stack that the dispatcher may take over.
  std::vector<Value> copyStack() const;

private:
  bool readList(Value list, Integers &integers) const;
  void read(size_t argument, size_t &input, size_t &list);
  void free(size_t argument, size_t &input) const;
  Value copy(size_t argument, size_t &input, size_t &list) const;
  Value copyTensor(TensorHandle tensor) const;
  Value copyText(size_t argument) const;
  void addArgument(Signature &signature, size_t argument, size_t &input,
                   size_t &list) const;
  void addFlags(Signature &signature) const;
  void addTensor(Signature &signature, TensorHandle tensor) const;
  void addText(Signature &signature, size_t argument) const;

  const StableAbi &abi;
  Operator op;
  const Schema &schema;
  std::array<Value, kMaxArguments> owned{}; ///< What the stack held.
  std::array<TensorHandle, kMaxInputs> inputs{};
  std::array<Integers, kMaxLists> lists;
  bool readable = true;
};

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_CALL_H
