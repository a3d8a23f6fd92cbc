//===- TensorMap.cpp - rules of tensor maps -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/TensorMap.h"

#include <string>

namespace convmlir {

/// Limits of the corner coordinates of an im2col map by rank 3, 4, 5: 16, 8 and
/// 5 bits, signed.
static int64_t cornerLimit(size_t rank) {
  return rank == 3 ? 32768 : rank == 4 ? 128 : 16;
}

static Status expectSize(const char *name, size_t size, size_t expected) {
  if (size == expected)
    return {};
  return Error{std::string(name) + ": expected " + std::to_string(expected) +
               " entries, got " + std::to_string(size)};
}

static Status expectRange(const char *name, const std::vector<int64_t> &values,
                          int64_t low, int64_t high, int64_t multiple = 1) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] < low || values[i] > high || values[i] % multiple != 0)
      return Error{
          std::string(name) + "[" + std::to_string(i) + "]: expected " +
          (multiple > 1 ? "a multiple of " + std::to_string(multiple) + " in "
                        : std::string()) +
          "[" + std::to_string(low) + ", " + std::to_string(high) + "], got " +
          std::to_string(values[i])};
  return {};
}

static Status validateTensor(const TensorMap &map) {
  size_t rank = map.extents.size();
  size_t lowest = map.mode == TensorMap::Mode::Im2col ||
                          map.interleave != TensorMapInterleave::None
                      ? 3
                      : 1;
  if (rank < lowest || rank > 5)
    return Error{"extents: expected rank " + std::to_string(lowest) +
                 " to 5, got " + std::to_string(rank)};
  if (Status s = expectSize("byte_strides", map.byteStrides.size(), rank - 1);
      !s)
    return s;
  if (Status s = expectSize("element_strides", map.elementStrides.size(), rank);
      !s)
    return s;
  if (Status s = expectRange("extents", map.extents, 1, int64_t(1) << 32); !s)
    return s;
  int64_t unit = map.interleave == TensorMapInterleave::B32 ? 32 : 16;
  if (Status s = expectRange("byte_strides", map.byteStrides, unit,
                             (int64_t(1) << 40) - unit, unit);
      !s)
    return s;
  if (Status s = expectRange("element_strides", map.elementStrides, 1, 8); !s)
    return s;
  return expectRange("byte_offset", {map.byteOffset}, 0, INT64_MAX / 2, unit);
}

/// The innermost extent of the box must fit the swizzle span.
static Status validateInner(const TensorMap &map, int64_t elements) {
  int64_t bytes = elements * byteSize(map.type);
  if (map.interleave == TensorMapInterleave::B32 &&
      map.swizzle != TensorMapSwizzle::B32)
    return Error{"swizzle: 32-byte interleave needs the 32-byte swizzle"};
  if (map.interleave != TensorMapInterleave::None)
    return {};
  int64_t span = map.swizzle == TensorMapSwizzle::B32    ? 32
                 : map.swizzle == TensorMapSwizzle::B64  ? 64
                 : map.swizzle == TensorMapSwizzle::B128 ? 128
                                                         : INT64_MAX;
  if (bytes > span)
    return Error{"swizzle: a row of " + std::to_string(bytes) +
                 " bytes is longer than the swizzle span of " +
                 std::to_string(span)};
  if (bytes % 16 != 0)
    return Error{"box: a row of " + std::to_string(bytes) +
                 " bytes is not a multiple of 16"};
  return {};
}

static Status validateTiled(const TensorMap &map) {
  if (Status s = expectSize("box", map.box.size(), map.extents.size()); !s)
    return s;
  if (Status s = expectRange("box", map.box, 1, 256); !s)
    return s;
  if (!map.lowerCorner.empty() || !map.upperCorner.empty())
    return Error{"lower_corner and upper_corner belong to im2col maps only"};
  return validateInner(map, map.box[0]);
}

static Status validateIm2col(const TensorMap &map) {
  size_t spatial = map.extents.size() - 2;
  int64_t limit = cornerLimit(map.extents.size());
  for (auto [name, corner] : {std::pair("lower_corner", &map.lowerCorner),
                              std::pair("upper_corner", &map.upperCorner)}) {
    if (Status s = expectSize(name, corner->size(), spatial); !s)
      return s;
    if (Status s = expectRange(name, *corner, -limit, limit - 1); !s)
      return s;
  }
  for (size_t i = 0; i < spatial; ++i)
    if (map.lowerCorner[i] > map.extents[i + 1] - 1 + map.upperCorner[i])
      return Error{"the pixel box is empty in spatial dimension " +
                   std::to_string(i)};
  if (!map.box.empty())
    return Error{"box belongs to tiled maps only"};
  if (Status s =
          expectRange("channels_per_pixel", {map.channelsPerPixel}, 1, 256);
      !s)
    return s;
  if (Status s =
          expectRange("pixels_per_column", {map.pixelsPerColumn}, 1, 1024);
      !s)
    return s;
  return validateInner(map, map.channelsPerPixel);
}

Status validate(const TensorMap &map) {
  if (Status s = validateTensor(map); !s)
    return s;
  return map.mode == TensorMap::Mode::Tiled ? validateTiled(map)
                                            : validateIm2col(map);
}

std::optional<int64_t> spannedBytes(const TensorMap &map) {
  int64_t bytes = map.extents[0] * byteSize(map.type);
  for (size_t i = 1; i < map.extents.size(); ++i) {
    int64_t step = 0;
    if (__builtin_mul_overflow(map.extents[i] - 1, map.byteStrides[i - 1],
                               &step) ||
        __builtin_add_overflow(bytes, step, &bytes))
      return std::nullopt;
  }
  return bytes;
}

} // namespace convmlir
