//===- Call.cpp - the arguments of a boxed kernel -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride,
//             SymInt[] padding, SymInt[] dilation, bool transposed,
//             SymInt[] output_padding, SymInt groups) -> Tensor
// convolution_backward(Tensor grad_output, Tensor input, Tensor weight,
//             SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding,
//             SymInt[] dilation, bool transposed, SymInt[] output_padding,
//             SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <algorithm>
#include <bit>

using namespace convmlir::torch;

static Value *getOptional(Value value) { return std::bit_cast<Value *>(value); }

static bool isTrue(Value value) { return (value & 0xff) != 0; }

Call::Call(const StableAbi &abi, Operator op, Value *stack) : abi(abi), op(op) {
  bool isBackward = op == Operator::Backward;
  size_t count = isBackward ? 11 : 9;
  std::copy_n(stack, count, owned.begin());
  for (int i = 0; i < 2 + isBackward; ++i)
    inputs[i] = std::bit_cast<TensorHandle>(owned[i]);
  size_t next = isBackward ? 3 : 2;
  if (Value *optional = getOptional(owned[next++])) {
    if (isBackward)
      hasBiasSizes = readable = readList(*optional, biasSizes);
    else
      inputs[2] = std::bit_cast<TensorHandle>(*optional);
  }
  for (Integers *list : {&stride, &padding, &dilation})
    readable &= readList(owned[next++], *list);
  transposed = isTrue(owned[next++]);
  readable &= readList(owned[next++], outputPadding);
  groups = static_cast<int64_t>(owned[next++]);
  if (isBackward)
    readable &= readList(owned[next], mask);
}

Call::~Call() {
  bool isBackward = op == Operator::Backward;
  for (TensorHandle tensor : inputs)
    if (tensor)
      abi.deleteTensor(tensor);
  if (Value *optional = getOptional(owned[isBackward ? 3 : 2])) {
    if (isBackward)
      abi.deleteList(std::bit_cast<ListHandle>(*optional));
    delete optional;
  }
  size_t first = isBackward ? 4 : 3;
  for (size_t list : {first, first + 1, first + 2, first + 4})
    abi.deleteList(std::bit_cast<ListHandle>(owned[list]));
  if (isBackward)
    abi.deleteList(std::bit_cast<ListHandle>(owned[10]));
}

bool Call::readList(Value list, Integers &integers) const {
  auto handle = std::bit_cast<ListHandle>(list);
  if (abi.listSize(handle, &integers.count) != 0 ||
      integers.count > integers.values.size()) {
    integers.count = 0;
    return false;
  }
  for (size_t i = 0; i < integers.count; ++i) {
    Value item = 0;
    abi.listItem(handle, i, &item);
    integers.values[i] = static_cast<int64_t>(item);
  }
  return true;
}

int32_t Call::getDeviceType() const {
  int32_t type = 0;
  abi.getDeviceType(inputs[0], &type);
  return type;
}

int32_t Call::getDeviceIndex() const {
  int32_t index = 0;
  abi.getDeviceIndex(inputs[0], &index);
  return index;
}

//===----------------------------------------------------------------------===//
// The signature
//===----------------------------------------------------------------------===//

void Call::addTensor(Signature &signature, TensorHandle tensor) const {
  bool isDefined = false;
  if (tensor)
    abi.isDefined(tensor, &isDefined);
  signature.add(isDefined);
  if (!isDefined)
    return;
  int32_t dtype = 0;
  int64_t rank = 0, *sizes = nullptr, *strides = nullptr;
  abi.getDtype(tensor, &dtype);
  abi.getDim(tensor, &rank);
  abi.getSizes(tensor, &sizes);
  abi.getStrides(tensor, &strides);
  signature.add(dtype);
  signature.add(rank);
  for (int64_t i = 0; i < rank; ++i)
    signature.add(sizes[i]);
  for (int64_t i = 0; i < rank; ++i)
    signature.add(strides[i]);
}

static void addList(Signature &signature, const Integers &integers) {
  signature.add(static_cast<int64_t>(integers.count));
  for (size_t i = 0; i < integers.count; ++i)
    signature.add(integers.values[i]);
}

/// Flags of PyTorch that say how a convolution is computed.
void Call::addFlags(Signature &signature) const {
  const void *context = abi.globalContext();
  bool isCpu = getDeviceType() == abi.cpuType();
  signature.add(isCpu ? abi.usesMkldnn(context) : abi.usesCudnn(context));
  signature.add(abi.floatPrecision(
      context, isCpu ? FloatBackend::Mkldnn : FloatBackend::Cuda,
      FloatOp::Conv));
}

Signature Call::getSignature() const {
  Signature signature;
  signature.add(static_cast<int64_t>(op));
  signature.add(getDeviceType());
  signature.add(getDeviceIndex());
  addFlags(signature);
  for (TensorHandle tensor : inputs)
    addTensor(signature, tensor);
  signature.add(hasBiasSizes);
  for (const Integers *list :
       {&biasSizes, &stride, &padding, &dilation, &outputPadding, &mask})
    addList(signature, *list);
  signature.add(transposed);
  signature.add(groups);
  return signature;
}

//===----------------------------------------------------------------------===//
// The same call once more
//===----------------------------------------------------------------------===//

Value Call::copyList(const Integers &integers) const {
  ListHandle list = nullptr;
  abi.newList(integers.count, &list);
  for (size_t i = 0; i < integers.count; ++i)
    abi.pushBack(list, static_cast<Value>(integers.values[i]));
  return std::bit_cast<Value>(list);
}

std::vector<Value> Call::copyInputs() const {
  std::vector<Value> copies;
  for (TensorHandle tensor : inputs) {
    TensorHandle copy = nullptr;
    if (tensor)
      abi.newHandle(tensor, &copy);
    copies.push_back(std::bit_cast<Value>(copy));
  }
  return copies;
}

std::vector<Value> Call::copyStack() const {
  std::vector<Value> stack = copyInputs();
  if (op == Operator::Backward)
    stack.push_back(hasBiasSizes ? makeOptional(copyList(biasSizes)) : 0);
  else if (inputs[2])
    stack[2] = makeOptional(stack[2]);
  for (const Integers *list : {&stride, &padding, &dilation})
    stack.push_back(copyList(*list));
  stack.push_back(transposed);
  stack.push_back(copyList(outputPadding));
  stack.push_back(static_cast<Value>(groups));
  if (op == Operator::Backward)
    stack.push_back(copyList(mask));
  return stack;
}

//===----------------------------------------------------------------------===//
// PyTorch's own kernels
//===----------------------------------------------------------------------===//

static const TensorMirror &mirror(TensorHandle tensor) {
  return *reinterpret_cast<const TensorMirror *>(tensor);
}

/// A handle that owns what a function has returned.
static TensorHandle adopt(const TensorMirror &result) {
  return reinterpret_cast<TensorHandle>(new TensorMirror(result));
}

TensorHandle Call::runConvolution() const {
  OptionalTensorMirror bias;
  if (inputs[2])
    bias.emplace(mirror(inputs[2]));
  return adopt(abi.convolution(mirror(inputs[0]), mirror(inputs[1]), bias,
                               stride.mirror(), padding.mirror(),
                               dilation.mirror(), transposed,
                               outputPadding.mirror(), groups));
}

std::array<bool, 3> Call::getMask() const {
  std::array<bool, 3> wanted{};
  for (size_t i = 0; i < wanted.size() && i < mask.count; ++i)
    wanted[i] = isTrue(static_cast<Value>(mask.values[i]));
  return wanted;
}

std::array<TensorHandle, 3>
Call::runBackward(std::array<bool, 3> wanted) const {
  OptionalArrayMirror sizes;
  if (hasBiasSizes)
    sizes.array = biasSizes.mirror();
  TensorsMirror results = abi.convolutionBackward(
      mirror(inputs[0]), mirror(inputs[1]), mirror(inputs[2]), sizes,
      stride.mirror(), padding.mirror(), dilation.mirror(), transposed,
      outputPadding.mirror(), groups, wanted);
  return {adopt(std::get<0>(results)), adopt(std::get<1>(results)),
          adopt(std::get<2>(results))};
}
