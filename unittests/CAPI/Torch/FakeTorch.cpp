//===- FakeTorch.cpp - PyTorch's stable C ABI without PyTorch -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeTorch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>

using namespace convmlir::torch;
using namespace convmlir::torch::test;

namespace {
struct FakeList {
  std::vector<Value> values;
};
struct FakeText {
  std::string text;
};
constexpr int32_t cpu = 0;
constexpr int32_t raising = -1; ///< The type of tensors that raise an error.
constexpr size_t alignment = 16;
} // namespace

FakeTorch &convmlir::torch::test::fake() {
  static FakeTorch instance;
  return instance;
}

// Tensors.

static TensorMirror &mirrorOf(TensorHandle tensor) {
  return *reinterpret_cast<TensorMirror *>(tensor);
}

TensorHandle convmlir::torch::test::makeRaising() {
  return makeTensor({0}, 0, raising);
}

FakeTensor &convmlir::torch::test::get(TensorHandle tensor) {
  return *static_cast<FakeTensor *>(mirrorOf(tensor).impl);
}

static TensorHandle addHandle(FakeTensor *tensor) {
  ++fake().handles;
  ++tensor->handles;
  return reinterpret_cast<TensorHandle>(new TensorMirror{tensor});
}

static int32_t deleteTensor(TensorHandle handle) {
  auto *tensor = static_cast<FakeTensor *>(mirrorOf(handle).impl);
  --fake().handles;
  delete reinterpret_cast<TensorMirror *>(handle);
  if (tensor && --tensor->handles == 0)
    delete tensor;
  return 0;
}

static FakeTensor *newTensor(std::vector<int64_t> sizes,
                             std::vector<int64_t> strides, int32_t dtype,
                             int32_t device, float value) {
  size_t count = std::accumulate(sizes.begin(), sizes.end(), size_t(1),
                                 std::multiplies<>());
  auto *tensor = new FakeTensor{
      std::move(sizes), std::move(strides), dtype, device, {}, 0};
  tensor->memory.assign(count + alignment, value);
  while (std::bit_cast<uintptr_t>(tensor->data()) % alignment)
    ++tensor->first;
  return tensor;
}

TensorHandle convmlir::torch::test::makeTensor(std::vector<int64_t> sizes,
                                               float value, int32_t dtype,
                                               int32_t device) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  return addHandle(newTensor(sizes, strides, dtype, device, value));
}

static int32_t emptyStrided(int64_t rank, const int64_t *sizes,
                            const int64_t *strides, int32_t dtype, int32_t,
                            int32_t device, TensorHandle *to) {
  if (!fake().hasMemory)
    return 1;
  *to = addHandle(newTensor({sizes, sizes + rank}, {strides, strides + rank},
                            dtype, device, 0));
  return 0;
}

static void setTensorFunctions(StableAbi &abi) {
  abi.getDim = [](TensorHandle t, int64_t *to) {
    *to = static_cast<int64_t>(get(t).sizes.size());
    return 0;
  };
  abi.getSizes = [](TensorHandle t, int64_t **to) {
    *to = get(t).sizes.data();
    return 0;
  };
  abi.getStrides = [](TensorHandle t, int64_t **to) {
    *to = get(t).strides.data();
    return 0;
  };
  abi.getDtype = [](TensorHandle t, int32_t *to) {
    *to = get(t).dtype;
    return 0;
  };
  abi.getDeviceType = [](TensorHandle, int32_t *to) {
    *to = cpu;
    return 0;
  };
  abi.getDeviceIndex = [](TensorHandle t, int32_t *to) {
    *to = get(t).device;
    return 0;
  };
  abi.getDataPointer = [](TensorHandle t, void **to) {
    *to = get(t).data();
    return 0;
  };
  abi.isDefined = [](TensorHandle t, bool *to) {
    *to = mirrorOf(t).impl != nullptr;
    return 0;
  };
  abi.emptyStrided = emptyStrided;
  abi.newHandle = [](TensorHandle t, TensorHandle *to) {
    *to = addHandle(&get(t));
    return 0;
  };
  abi.newUndefined = [](TensorHandle *to) {
    ++fake().handles;
    *to = reinterpret_cast<TensorHandle>(new TensorMirror{});
    return 0;
  };
  abi.deleteTensor = deleteTensor;
}

// Codes are any numbers that differ.
static void setCodes(StableAbi &abi) {
  abi.dtypeOfBytes = [] { return 0; };
  abi.dtypeOfHalf = [] { return 5; };
  abi.dtypeOfFloat = [] { return 6; };
  abi.dtypeOfDouble = [] { return 7; };
  abi.dtypeOfBFloat = [] { return 15; };
  abi.dtypeOfE5M2 = [] { return 23; };
  abi.dtypeOfE4M3 = [] { return 24; };
  abi.contiguous = [] { return 10; };
  abi.channelsLast = [] { return 12; };
  abi.channelsLast3d = [] { return 13; };
  abi.cpuType = [] { return cpu; };
}

// Lists.

static FakeList *listOf(ListHandle list) {
  return reinterpret_cast<FakeList *>(list);
}

static int32_t newList(size_t, ListHandle *to) {
  ++fake().lists;
  *to = reinterpret_cast<ListHandle>(new FakeList);
  return 0;
}

Value convmlir::torch::test::makeList(const std::vector<int64_t> &values) {
  ListHandle list = nullptr;
  newList(0, &list);
  listOf(list)->values.assign(values.begin(), values.end());
  return std::bit_cast<Value>(list);
}

static void setListFunctions(StableAbi &abi) {
  abi.newList = newList;
  abi.listSize = [](ListHandle list, size_t *to) {
    *to = listOf(list)->values.size();
    return 0;
  };
  abi.listItem = [](ListHandle list, size_t index, Value *to) {
    *to = listOf(list)->values[index];
    return 0;
  };
  abi.pushBack = [](ListHandle list, Value value) {
    listOf(list)->values.push_back(value);
    return 0;
  };
  abi.deleteList = [](ListHandle list) {
    --fake().lists;
    delete listOf(list);
    return 0;
  };
}

// Texts.

static FakeText *textOf(TextHandle text) {
  return reinterpret_cast<FakeText *>(text);
}

static int32_t newText(const char *data, size_t length, TextHandle *to) {
  ++fake().texts;
  *to = reinterpret_cast<TextHandle>(new FakeText{{data, length}});
  return 0;
}

Value convmlir::torch::test::makeText(const std::string &text) {
  TextHandle handle = nullptr;
  newText(text.data(), text.size(), &handle);
  return std::bit_cast<Value>(handle);
}

static int32_t deleteText(TextHandle text) {
  --fake().texts;
  delete textOf(text);
  return 0;
}

static void setTextFunctions(StableAbi &abi) {
  abi.newText = newText;
  abi.textLength = [](TextHandle text, size_t *to) {
    *to = textOf(text)->text.size();
    return 0;
  };
  abi.textData = [](TextHandle text, const char **to) {
    *to = textOf(text)->text.c_str();
    return 0;
  };
  abi.deleteText = deleteText;
}

// The dispatcher. Like PyTorch's it takes the values of a stack over.

static void freeValue(Argument kind, Value value) {
  auto *optional = std::bit_cast<Value *>(value);
  switch (kind) {
  case Argument::Tensor:
    deleteTensor(std::bit_cast<TensorHandle>(value));
    return;
  case Argument::Integers:
    --fake().lists;
    delete std::bit_cast<FakeList *>(value);
    return;
  case Argument::Text:
    deleteText(std::bit_cast<TextHandle>(value));
    return;
  case Argument::OptionalTensor:
  case Argument::OptionalIntegers:
    if (optional)
      freeValue(kind == Argument::OptionalTensor ? Argument::Tensor
                                                 : Argument::Integers,
                *optional);
    [[fallthrough]];
  case Argument::OptionalType:
    delete optional;
    return;
  case Argument::Integer:
  case Argument::Flag:
    return;
  }
}

static Operator operatorOf(const std::string &name) {
  std::optional<Operator> found;
  size_t length = 0;
  // The longest name that this one ends with: conv_dgrad, and not conv.
  for (int64_t i = 0; auto op = findOperator({&i, 1}); ++i) {
    std::string ending = std::string("_") + getSchema(*op).asks;
    if (name.ends_with(ending) && ending.size() > length)
      found = op, length = ending.size();
  }
  return found.value();
}

static int32_t callDispatcher(const char *name, const char *, Value *stack,
                              uint64_t) {
  fake().dispatched.push_back(name);
  Operator op = operatorOf(name);
  const Schema &schema = getSchema(op);
  for (size_t i = 0; i < schema.arguments.size(); ++i)
    freeValue(schema.arguments[i], stack[i]);
  fake().onDispatch();
  if (!isOurs(op))
    return 0;
  std::array<TensorHandle, 3> results = fake().onRun();
  for (size_t i = 0; i < results.size(); ++i)
    stack[i] = results[i] ? makeOptional(std::bit_cast<Value>(results[i])) : 0;
  return 0;
}

static void setDispatcher(StableAbi &abi) {
  abi.callDispatcher = callDispatcher;
  abi.newLibrary = [](const char *, const char *key, const char *, uint32_t,
                      LibraryHandle *to) {
    *to = reinterpret_cast<LibraryHandle>(&fake());
    return std::strcmp(key, "CPU") == 0 ? 0 : 1;
  };
  abi.addKernel = [](LibraryHandle, const char *name, BoxedKernel kernel,
                     uint64_t) {
    fake().kernels[name] = kernel;
    return 0;
  };
  abi.deleteLibrary = [](LibraryHandle) {
    fake().kernels.clear();
    return 0;
  };
}

// PyTorch's own kernels: tensors of one number, 7.

static TensorMirror newResult() {
  ++fake().handles;
  FakeTensor *tensor = newTensor({1}, {1}, 6, 0, 7);
  ++tensor->handles;
  return TensorMirror{tensor};
}

static TensorMirror convolution(const TensorMirror &input, const TensorMirror &,
                                const OptionalTensorMirror &, ArrayMirror,
                                ArrayMirror, ArrayMirror, bool, ArrayMirror,
                                int64_t) {
  if (static_cast<FakeTensor *>(input.impl)->dtype == raising)
    throw std::invalid_argument("what the tensor stands for");
  ++fake().ownConvolutions;
  return newResult();
}

static TensorsMirror
convolutionBackward(const TensorMirror &, const TensorMirror &,
                    const TensorMirror &, OptionalArrayMirror, ArrayMirror,
                    ArrayMirror, ArrayMirror, bool, ArrayMirror, int64_t,
                    std::array<bool, 3> mask) {
  fake().masks.push_back(mask);
  auto result = [&](bool isAsked) {
    if (isAsked)
      return newResult();
    ++fake().handles;
    return TensorMirror{};
  };
  return {result(mask[0]), result(mask[1]), result(mask[2])};
}

StableAbi convmlir::torch::test::makeFakeAbi() {
  fake() = {};
  StableAbi abi{};
  setTensorFunctions(abi);
  setCodes(abi);
  setListFunctions(abi);
  setTextFunctions(abi);
  setDispatcher(abi);
  abi.convolution = convolution;
  abi.convolutionBackward = convolutionBackward;
  abi.globalContext = []() -> const void * { return nullptr; };
  abi.floatPrecision = [](const void *, FloatBackend, FloatOp) {
    return fake().precision;
  };
  abi.usesCudnn = [](const void *) { return true; };
  abi.usesMkldnn = [](const void *) { return fake().usesMkldnn; };
  abi.raise = [](const char *, const char *, uint32_t, const char *message) {
    throw std::runtime_error(message);
  };
  return abi;
}

// Calls.

static Value makeOptionalOf(Value value) {
  return std::bit_cast<Value>(new Value(value));
}

void FakeCall::addParameters(std::vector<Value> &stack) const {
  for (const std::vector<int64_t> *list : {&stride, &padding, &dilation})
    stack.push_back(makeList(*list));
  stack.push_back(transposed);
  stack.push_back(makeList(outputPadding));
  stack.push_back(static_cast<Value>(groups));
}

std::vector<Value> FakeCall::convolution() const {
  std::vector<Value> stack = {std::bit_cast<Value>(first),
                              std::bit_cast<Value>(second)};
  stack.push_back(third ? makeOptionalOf(std::bit_cast<Value>(third)) : 0);
  addParameters(stack);
  return stack;
}

std::vector<Value> FakeCall::backward() const {
  std::vector<Value> stack;
  for (TensorHandle tensor : {first, second, third})
    stack.push_back(std::bit_cast<Value>(tensor));
  stack.push_back(hasBiasSizes ? makeOptionalOf(makeList({4})) : 0);
  addParameters(stack);
  stack.push_back(makeList(mask));
  return stack;
}

std::vector<Value> FakeOperatorCall::stack() const {
  std::vector<Value> stack;
  std::vector<const std::vector<int64_t> *> lists = {&stride, &padding,
                                                     &dilation};
  if (op != Operator::Conv && op != Operator::BriefConv)
    lists.insert(lists.begin(), &size);
  size_t input = 0, list = 0;
  for (Argument kind : getSchema(op).arguments) {
    if (kind == Argument::Tensor || kind == Argument::OptionalTensor) {
      TensorHandle tensor = inputs[input++];
      auto value = std::bit_cast<Value>(tensor);
      bool isOptional = kind == Argument::OptionalTensor && tensor;
      stack.push_back(isOptional ? makeOptionalOf(value) : value);
    } else if (kind == Argument::Integers) {
      stack.push_back(makeList(*lists[list++]));
    } else if (kind == Argument::OptionalIntegers) {
      stack.push_back(makeOptionalOf(makeList(*lists[list++])));
    } else if (kind == Argument::Text) {
      stack.push_back(makeText(activation));
    } else if (kind == Argument::OptionalType) {
      stack.push_back(out ? makeOptionalOf(static_cast<uint32_t>(*out)) : 0);
    } else {
      stack.push_back(kind == Argument::Flag ? Value(bias) : Value(groups));
    }
  }
  // The dispatcher leaves room for the results.
  stack.resize(std::max<size_t>(stack.size(), 3));
  return stack;
}
