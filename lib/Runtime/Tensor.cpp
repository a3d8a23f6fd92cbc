//===- Tensor.cpp - element access and conversion -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Tensor.h"

#include "conv/Runtime/FloatFormat.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace convmlir {

template <typename T> static T read(const uint8_t *data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void write(uint8_t *data, int64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

/// The nearest integer of type T, ties to even, saturating; NaN gives 0.
template <typename T> static T saturate(double value) {
  if (std::isnan(value))
    return 0;
  constexpr double low = std::numeric_limits<T>::min();
  constexpr double high = std::numeric_limits<T>::max();
  return static_cast<T>(std::fmin(std::fmax(std::nearbyint(value), low), high));
}

// tf32 keeps its 19 bits in the upper part of a 32-bit word.
static constexpr int tf32Shift = 13;

double loadElement(ElementType type, const uint8_t *data, int64_t index) {
  switch (type) {
  case ElementType::F16:
    return decodeFloat(read<uint16_t>(data, index), f16Format);
  case ElementType::BF16:
    return decodeFloat(read<uint16_t>(data, index), bf16Format);
  case ElementType::TF32:
    return decodeFloat(read<uint32_t>(data, index) >> tf32Shift, tf32Format);
  case ElementType::F32:
    return read<float>(data, index);
  case ElementType::F64:
    return read<double>(data, index);
  case ElementType::S8:
    return read<int8_t>(data, index);
  case ElementType::E4M3:
    return decodeFloat(read<uint8_t>(data, index), e4m3Format);
  case ElementType::E5M2:
    return decodeFloat(read<uint8_t>(data, index), e5m2Format);
  case ElementType::S32:
    return read<int32_t>(data, index);
  }
  return 0;
}

void storeElement(ElementType type, uint8_t *data, int64_t index,
                  double value) {
  switch (type) {
  case ElementType::F16:
    return write<uint16_t>(data, index, encodeFloat(value, f16Format));
  case ElementType::BF16:
    return write<uint16_t>(data, index, encodeFloat(value, bf16Format));
  case ElementType::TF32:
    return write<uint32_t>(data, index,
                           encodeFloat(value, tf32Format) << tf32Shift);
  case ElementType::F32:
    return write<float>(data, index, static_cast<float>(value));
  case ElementType::F64:
    return write<double>(data, index, value);
  case ElementType::S8:
    return write<int8_t>(data, index, saturate<int8_t>(value));
  case ElementType::E4M3:
    return write<uint8_t>(data, index, encodeFloat(value, e4m3Format));
  case ElementType::E5M2:
    return write<uint8_t>(data, index, encodeFloat(value, e5m2Format));
  case ElementType::S32:
    return write<int32_t>(data, index, saturate<int32_t>(value));
  }
}

/// Whether a finite number is none of the type's, even rounded.
static bool isTooLarge(double value, FloatFormat format) {
  format.saturates = false;
  return !std::isfinite(decodeFloat(encodeFloat(value, format), format));
}

bool storeGiven(ElementType type, uint8_t *data, int64_t index, double value) {
  storeElement(type, data, index, value);
  double held = loadElement(type, data, index);
  if (std::isnan(value))
    return std::isnan(held);
  if (isInteger(type))
    return held == value;
  if (std::isinf(value) && type == ElementType::E5M2) {
    // Results saturate, but the format has infinities.
    FloatFormat format = e5m2Format;
    format.saturates = false;
    write<uint8_t>(data, index,
                   static_cast<uint8_t>(encodeFloat(value, format)));
    return true;
  }
  if (std::isfinite(value) && type == ElementType::E4M3)
    return !isTooLarge(value, e4m3Format);
  if (std::isfinite(value) && type == ElementType::E5M2)
    return !isTooLarge(value, e5m2Format);
  return std::isinf(value) == std::isinf(held);
}

double roundTo(ElementType type, double value) {
  uint8_t bytes[sizeof(double)] = {};
  storeElement(type, bytes, 0, value);
  return loadElement(type, bytes, 0);
}

Tensor::Tensor(ElementType type, Shape shape, int64_t count)
    : elementType(type), extents(std::move(shape)), count(count),
      storage(static_cast<size_t>(count * byteSize(type))) {}

Result<Tensor> Tensor::create(ElementType type, Shape shape) {
  if (!byteCount(shape, type))
    return Error{"a tensor of shape " + toString(shape) +
                 " has a negative extent or more than 2^63 bytes"};
  int64_t count = *elementCount(shape);
  return Tensor(type, std::move(shape), count);
}

std::vector<double> Tensor::toDoubles() const {
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[static_cast<size_t>(i)] = get(i);
  return values;
}

Tensor Tensor::convertedTo(ElementType type) const {
  Tensor result(type, extents, count);
  for (int64_t i = 0; i < count; ++i)
    result.set(i, get(i));
  return result;
}

} // namespace convmlir
