//===- TheirKernels.cpp - PyTorch's own convolutions ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TheirKernels.h"

using namespace convmlir::torch;

static const TensorMirror &mirror(TensorHandle tensor) {
  return *reinterpret_cast<const TensorMirror *>(tensor);
}

/// A handle that owns what a function has returned.
static TensorHandle adopt(const TensorMirror &result) {
  return reinterpret_cast<TensorHandle>(new TensorMirror(result));
}

TensorHandle convmlir::torch::runTheirConvolution(const StableAbi &abi,
                                                  const Call &call) {
  constexpr size_t transposed = 6, groups = 8; // Arguments.
  OptionalTensorMirror bias;
  if (call.getInput(2))
    bias.emplace(mirror(call.getInput(2)));
  return adopt(
      abi.convolution(mirror(call.getInput(0)), mirror(call.getInput(1)), bias,
                      call.getList(0).mirror(), call.getList(1).mirror(),
                      call.getList(2).mirror(), call.isSet(transposed),
                      call.getList(3).mirror(), call.getNumber(groups)));
}

std::array<bool, kGradients> convmlir::torch::getMask(const Call &call) {
  const Integers &mask = call.getList(5);
  std::array<bool, kGradients> wanted{};
  for (size_t i = 0; i < wanted.size() && i < mask.count; ++i)
    wanted[i] = (mask.values[i] & 0xff) != 0;
  return wanted;
}

std::array<TensorHandle, kGradients>
convmlir::torch::runTheirBackward(const StableAbi &abi, const Call &call,
                                  std::array<bool, kGradients> wanted) {
  constexpr size_t transposed = 7, groups = 9; // Arguments.
  OptionalArrayMirror biasSizes;
  if (call.getList(0).isThere)
    biasSizes.array = call.getList(0).mirror();
  TensorsMirror results = abi.convolutionBackward(
      mirror(call.getInput(0)), mirror(call.getInput(1)),
      mirror(call.getInput(2)), biasSizes, call.getList(1).mirror(),
      call.getList(2).mirror(), call.getList(3).mirror(),
      call.isSet(transposed), call.getList(4).mirror(), call.getNumber(groups),
      wanted);
  return {adopt(std::get<0>(results)), adopt(std::get<1>(results)),
          adopt(std::get<2>(results))};
}

void convmlir::torch::throwErrorOf(const StableAbi &abi, TensorHandle tensor) {
  // Nothing is computed: the tensor raises as soon as an operator takes it.
  TensorHandle result = adopt(abi.convolution(
      mirror(tensor), mirror(tensor), std::nullopt, {}, {}, {}, false, {}, 1));
  abi.deleteTensor(result);
}
