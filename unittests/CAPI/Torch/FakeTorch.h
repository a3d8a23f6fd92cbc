//===- FakeTorch.h - PyTorch's stable C ABI without PyTorch -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors, lists and the dispatcher as the table of StableAbi has them. Counts
// what lives, so that tests see what is freed, and notes what is called.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_CAPI_TORCH_FAKETORCH_H
#define CONV_UNITTESTS_CAPI_TORCH_FAKETORCH_H

#include "Schema.h"
#include "StableAbi.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace convmlir::torch::test {

/// What an at::Tensor points to. Its numbers are floats.
struct FakeTensor {
  std::vector<int64_t> sizes, strides;
  int32_t dtype, device;
  std::vector<float> memory;
  size_t first; ///< Of its numbers in the memory.
  int handles = 0;

  float *data() { return memory.data() + first; }
};

/// 1x1 filters over 2 channels of ones: results are 2, filters' gradients 12.
constexpr const char *problem =
    "n=1 c=2 h=3 w=4 k=3 r=1 s=1 type=f32 layout=nchw";

/// A structure of the C API, empty but for its size.
template <typename Structure> Structure sized() {
  Structure structure{};
  structure.size = sizeof structure;
  return structure;
}

/// What happens in the fake, and what a test asks of it.
struct FakeTorch {
  // What lives.
  int handles = 0, lists = 0, texts = 0;
  // What was called.
  std::vector<std::string> dispatched;
  std::vector<std::array<bool, 3>> masks; ///< Of PyTorch's own backward.
  int ownConvolutions = 0;
  std::map<std::string, BoxedKernel> kernels;
  // What a test chooses.
  int32_t precision = 0;
  bool usesMkldnn = true, hasMemory = true;
  std::function<void()> onDispatch = [] {};
  /// Of the host's operators: three optional tensors.
  std::function<std::array<TensorHandle, 3>()> onRun = [] {
    return std::array<TensorHandle, 3>{};
  };
};
FakeTorch &fake();

/// The table. fake() is as new.
StableAbi makeFakeAbi();

TensorHandle makeTensor(std::vector<int64_t> sizes, float value = 1,
                        int32_t dtype = 6, int32_t device = 0);
FakeTensor &get(TensorHandle tensor);
Value makeList(const std::vector<int64_t> &values);
Value makeText(const std::string &text);
/// A tensor that raises an error when an operator takes it.
TensorHandle makeRaising();

/// The arguments of a call; a stack takes the tensors over.
struct FakeCall {
  TensorHandle first, second, third = nullptr; ///< In the operator's order.
  std::vector<int64_t> stride = {1, 1}, padding = {0, 0}, dilation = {1, 1};
  bool transposed = false;
  std::vector<int64_t> outputPadding = {0, 0};
  int64_t groups = 1;
  // Of the backward.
  std::vector<int64_t> mask = {1, 1, 0};
  bool hasBiasSizes = false;

  std::vector<Value> convolution() const;
  std::vector<Value> backward() const;

private:
  void addParameters(std::vector<Value> &stack) const;
};

/// The arguments of an operator of ours, whose tensors are those of `inputs`;
/// null: one that is not there. A stack takes the tensors over.
struct FakeOperatorCall {
  Operator op;
  std::vector<TensorHandle> inputs;
  std::string activation = "none";
  std::vector<int64_t> size = {1, 2, 3, 4}; ///< Of conv_dgrad, conv_wgrad.
  bool bias = false;                        ///< Of conv_wgrad.
  std::vector<int64_t> stride = {1, 1}, padding = {0, 0}, dilation = {1, 1};
  int64_t groups = 1;
  std::optional<int32_t> out = {};

  std::vector<Value> stack() const;
};

} // namespace convmlir::torch::test

#endif // CONV_UNITTESTS_CAPI_TORCH_FAKETORCH_H
