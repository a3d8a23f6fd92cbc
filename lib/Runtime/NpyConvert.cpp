//===- NpyConvert.cpp - arrays of files to tensors ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules by which values of a NumPy array become elements of a tensor: see
// tensorFromNpy in Npy.h.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Npy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace convmlir {

template <typename T> static double load(const uint8_t *data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

using Loader = double (*)(const uint8_t *data, int64_t index);

static Loader loaderOf(const NpyArray &array) {
  switch (array.kind) {
  case 'i':
    return array.elementBytes == 1   ? load<int8_t>
           : array.elementBytes == 2 ? load<int16_t>
           : array.elementBytes == 4 ? load<int32_t>
                                     : load<int64_t>;
  case 'u':
    return array.elementBytes == 1   ? load<uint8_t>
           : array.elementBytes == 2 ? load<uint16_t>
                                     : load<uint32_t>;
  default:
    if (array.elementBytes == 2)
      return [](const uint8_t *data, int64_t index) {
        return loadElement(ElementType::F16, data, index);
      };
    return array.elementBytes == 4 ? load<float> : load<double>;
  }
}

/// Unsigned integers stand for the bits of the types that NumPy lacks.
static bool holdsBits(const NpyArray &array, ElementType type) {
  if (array.kind != 'u' || array.elementBytes != byteSize(type))
    return false;
  return type == ElementType::BF16 || type == ElementType::E4M3 ||
         type == ElementType::E5M2;
}

/// What a type takes, for messages.
static std::string expectedOf(ElementType type) {
  if (isInteger(type)) {
    auto end = [&](double value) {
      return std::to_string(static_cast<int64_t>(roundTo(type, value)));
    };
    return "an integer from " + end(-HUGE_VAL) + " to " + end(HUGE_VAL);
  }
  bool hasInfinity = type != ElementType::E4M3;
  return std::string("a number that rounds to one of its own") +
         (hasInfinity ? ", an infinity or NaN" : " or NaN");
}

static Error notHeld(const std::string &name, const Shape &shape,
                     int64_t position, double value, ElementType type) {
  std::ostringstream text;
  text << name << ": element " << describeIndex(indexAt(shape, position))
       << " is " << value << ", which " << toString(type)
       << " does not hold: expected " << expectedOf(type);
  return Error{text.str()};
}

Result<Tensor> tensorFromNpy(const NpyArray &array, ElementType type,
                             const std::string &name) {
  Result<Tensor> tensor = Tensor::create(type, array.shape);
  if (!tensor)
    return Error{name + ": " + tensor.error()};
  if (holdsBits(array, type)) {
    std::ranges::copy(array.data, tensor->bytes().begin());
    return tensor;
  }
  Loader loader = loaderOf(array);
  for (int64_t i = 0; i < tensor->elements(); ++i) {
    double value = loader(array.data.data(), i);
    if (!storeGiven(type, tensor->bytes().data(), i, value))
      return notHeld(name, array.shape, i, value, type);
  }
  return tensor;
}

} // namespace convmlir
