//===- Shape.cpp - sizes that follow from a shape -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Shape.h"

namespace convmlir {

std::optional<int64_t> elementCount(const Shape &shape) {
  int64_t count = 1;
  bool overflow = false, empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (!overflow)
      overflow = __builtin_mul_overflow(count, extent, &count);
  }
  if (empty)
    return 0;
  return overflow ? std::nullopt : std::optional<int64_t>(count);
}

std::optional<int64_t> byteCount(const Shape &shape, ElementType type) {
  std::optional<int64_t> count = elementCount(shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, byteSize(type), &bytes))
    return std::nullopt;
  return bytes;
}

std::string toString(const Shape &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

std::string describeIndex(const Shape &index) {
  std::string text;
  for (int64_t coordinate : index)
    text += (text.empty() ? "" : ", ") + std::to_string(coordinate);
  return "[" + text + "]";
}

Shape indexAt(const Shape &shape, int64_t position) {
  Shape index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = position % shape[dim];
    position /= shape[dim];
  }
  return index;
}

} // namespace convmlir
