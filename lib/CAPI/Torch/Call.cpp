//===- Call.cpp - the arguments of a boxed kernel -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

using namespace convmlir::torch;

static Value *getOptional(Value value) { return std::bit_cast<Value *>(value); }

static TensorHandle asTensor(Value value) {
  return std::bit_cast<TensorHandle>(value);
}

static ListHandle asList(Value value) {
  return std::bit_cast<ListHandle>(value);
}

static TextHandle asText(Value value) {
  return std::bit_cast<TextHandle>(value);
}

/// A code is 32 bits of its value.
static int32_t asCode(Value value) { return static_cast<int32_t>(value); }

Call::Call(const StableAbi &abi, Operator op, Value *stack)
    : abi(abi), op(op), schema(torch::getSchema(op)) {
  std::copy_n(stack, schema.arguments.size(), owned.begin());
  size_t input = 0, list = 0;
  for (size_t i = 0; i < schema.arguments.size(); ++i)
    read(i, input, list);
}

void Call::read(size_t argument, size_t &input, size_t &list) {
  Value value = owned[argument];
  switch (schema.arguments[argument]) {
  case Argument::Tensor:
    inputs[input++] = asTensor(value);
    break;
  case Argument::OptionalTensor:
    inputs[input++] = value ? asTensor(*getOptional(value)) : nullptr;
    break;
  case Argument::Integers:
    readable &= readList(value, lists[list++]);
    break;
  case Argument::OptionalIntegers:
    lists[list].isThere = value != 0;
    readable &= !value || readList(*getOptional(value), lists[list]);
    ++list;
    break;
  case Argument::Integer:
  case Argument::Flag:
  case Argument::Text:
  case Argument::OptionalType:
    break;
  }
}

bool Call::readList(Value list, Integers &integers) const {
  ListHandle handle = asList(list);
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

Call::~Call() {
  size_t input = 0;
  for (size_t i = 0; i < schema.arguments.size(); ++i)
    free(i, input);
}

void Call::free(size_t argument, size_t &input) const {
  Value value = owned[argument];
  switch (schema.arguments[argument]) {
  case Argument::Tensor:
  case Argument::OptionalTensor:
    if (TensorHandle tensor = inputs[input++])
      abi.deleteTensor(tensor);
    break;
  case Argument::Integers:
    abi.deleteList(asList(value));
    break;
  case Argument::OptionalIntegers:
    if (value)
      abi.deleteList(asList(*getOptional(value)));
    break;
  case Argument::Text:
    abi.deleteText(asText(value));
    break;
  case Argument::Integer:
  case Argument::Flag:
  case Argument::OptionalType:
    break;
  }
  Argument kind = schema.arguments[argument];
  if (kind == Argument::OptionalTensor || kind == Argument::OptionalIntegers ||
      kind == Argument::OptionalType)
    delete getOptional(value);
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
  int32_t dtype = 0, deviceType = 0, deviceIndex = 0;
  int64_t rank = 0, *sizes = nullptr, *strides = nullptr;
  abi.getDeviceType(tensor, &deviceType);
  abi.getDeviceIndex(tensor, &deviceIndex);
  abi.getDtype(tensor, &dtype);
  abi.getDim(tensor, &rank);
  abi.getSizes(tensor, &sizes);
  abi.getStrides(tensor, &strides);
  for (int64_t word :
       {int64_t(deviceType), int64_t(deviceIndex), int64_t(dtype), rank})
    signature.add(word);
  for (int64_t i = 0; i < rank; ++i)
    signature.add(sizes[i]);
  for (int64_t i = 0; i < rank; ++i)
    signature.add(strides[i]);
}

static void addList(Signature &signature, const Integers &integers) {
  signature.add(integers.isThere ? static_cast<int64_t>(integers.count) : -1);
  for (size_t i = 0; i < integers.count; ++i)
    signature.add(integers.values[i]);
}

static std::string_view read(const StableAbi &abi, TextHandle text) {
  size_t length = 0;
  const char *data = nullptr;
  abi.textLength(text, &length);
  abi.textData(text, &data);
  return {data, length};
}

void Call::addText(Signature &signature, size_t argument) const {
  std::string_view text = ::read(abi, asText(owned[argument]));
  signature.add(static_cast<int64_t>(text.size()));
  for (size_t i = 0; i < text.size(); i += sizeof(int64_t)) {
    int64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min(sizeof word, text.size() - i));
    signature.add(word);
  }
}

void Call::addArgument(Signature &signature, size_t argument, size_t &input,
                       size_t &list) const {
  Value value = owned[argument];
  switch (schema.arguments[argument]) {
  case Argument::Tensor:
  case Argument::OptionalTensor:
    return addTensor(signature, inputs[input++]);
  case Argument::Integers:
  case Argument::OptionalIntegers:
    return addList(signature, lists[list++]);
  case Argument::Integer:
    return signature.add(getNumber(argument));
  case Argument::Flag:
    return signature.add(isSet(argument));
  case Argument::Text:
    return addText(signature, argument);
  case Argument::OptionalType:
    return signature.add(value ? asCode(*getOptional(value)) : -1);
  }
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
  addFlags(signature);
  size_t input = 0, list = 0;
  for (size_t i = 0; i < schema.arguments.size(); ++i)
    addArgument(signature, i, input, list);
  return signature;
}

//===----------------------------------------------------------------------===//
// The same call once more
//===----------------------------------------------------------------------===//

Value Call::copyTensor(TensorHandle tensor) const {
  TensorHandle copy = nullptr;
  abi.newHandle(tensor, &copy);
  return std::bit_cast<Value>(copy);
}

static Value copyList(const StableAbi &abi, const Integers &integers) {
  ListHandle list = nullptr;
  abi.newList(integers.count, &list);
  for (size_t i = 0; i < integers.count; ++i)
    abi.pushBack(list, static_cast<Value>(integers.values[i]));
  return std::bit_cast<Value>(list);
}

Value Call::copyText(size_t argument) const {
  std::string_view text = ::read(abi, asText(owned[argument]));
  TextHandle copy = nullptr;
  abi.newText(text.data(), text.size(), &copy);
  return std::bit_cast<Value>(copy);
}

Value Call::copy(size_t argument, size_t &input, size_t &list) const {
  Value value = owned[argument];
  switch (schema.arguments[argument]) {
  case Argument::Tensor:
    return copyTensor(inputs[input++]);
  case Argument::OptionalTensor: {
    TensorHandle tensor = inputs[input++];
    return tensor ? makeOptional(copyTensor(tensor)) : 0;
  }
  case Argument::Integers:
    return copyList(abi, lists[list++]);
  case Argument::OptionalIntegers: {
    const Integers &integers = lists[list++];
    return integers.isThere ? makeOptional(copyList(abi, integers)) : 0;
  }
  case Argument::Text:
    return copyText(argument);
  case Argument::OptionalType:
    return value ? makeOptional(*getOptional(value)) : 0;
  case Argument::Integer:
  case Argument::Flag:
    return value;
  }
  return 0;
}

std::vector<Value> Call::copyStack() const {
  std::vector<Value> stack;
  size_t input = 0, list = 0;
  for (size_t i = 0; i < schema.arguments.size(); ++i)
    stack.push_back(copy(i, input, list));
  return stack;
}
