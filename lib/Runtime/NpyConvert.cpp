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
    tensor->set(i, value);
    if (isInteger(type) && tensor->get(i) != value)
      return Error{name + ": element " +
                   describeIndex(indexAt(array.shape, i)) + " is " +
                   std::to_string(value) + ", which " + toString(type) +
                   " does not hold"};
  }
  return tensor;
}

} // namespace convmlir
