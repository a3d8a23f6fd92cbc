//===- Tensor.h - a tensor in host memory -----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense, row-major tensor in host memory: element type, shape and the bytes
// as a device reads them. Elements are read and written as double, which holds
// every value of every element type exactly.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_TENSOR_H
#define CONV_RUNTIME_TENSOR_H

#include "conv/Runtime/ElementType.h"
#include "conv/Runtime/Shape.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace convmlir {

/// Reads element `index` of an array of that type.
double loadElement(ElementType type, const uint8_t *data, int64_t index);

/// Writes element `index`: floating-point types round to nearest even; integer
/// types too, saturating, with NaN as 0. e4m3 and e5m2 saturate.
void storeElement(ElementType type, uint8_t *data, int64_t index, double value);

/// The same of a number that was given, which must not become another one:
/// false where more than rounding to nearest changes it, since the type has
/// neither the number's magnitude nor an infinity or NaN for it. Integers are
/// not rounded either.
bool storeGiven(ElementType type, uint8_t *data, int64_t index, double value);

/// The number that storeElement() makes of it.
double roundTo(ElementType type, double value);

/// A dense tensor. Copies are deep.
class Tensor {
public:
  Tensor() = default;

  /// A tensor of zeros. The error says why the shape has no size.
  static Result<Tensor> create(ElementType type, Shape shape);

  ElementType type() const { return elementType; }
  const Shape &shape() const { return extents; }
  int64_t elements() const { return count; }

  std::span<uint8_t> bytes() { return storage; }
  std::span<const uint8_t> bytes() const { return storage; }

  /// The element at a row-major position below elements().
  double get(int64_t position) const {
    return loadElement(elementType, storage.data(), position);
  }
  void set(int64_t position, double value) {
    storeElement(elementType, storage.data(), position, value);
  }

  /// All elements.
  std::vector<double> toDoubles() const;

  /// The same values rounded to another type.
  Tensor convertedTo(ElementType type) const;

private:
  Tensor(ElementType type, Shape shape, int64_t count);

  ElementType elementType = ElementType::F32;
  Shape extents{0};
  int64_t count = 0;
  std::vector<uint8_t> storage;
};

} // namespace convmlir

#endif // CONV_RUNTIME_TENSOR_H
