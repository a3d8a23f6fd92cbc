//===- TensorMapBlob.h - what a tensor map holds ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The content of an EmulatedTensorMap, and the walk over the tensor that a bulk
// copy makes by it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_COPIES_TENSORMAPBLOB_H
#define CONV_LIB_EMULATOR_RUNTIME_COPIES_TENSORMAPBLOB_H

#include "Swizzle.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace convmlir::emu {

inline constexpr unsigned kMaxRank = 5;
inline constexpr unsigned kMaxSpatial = 3;

struct TensorMapBlob {
  static constexpr uint64_t kMagic = 0x70614d726f736e54;

  uint64_t magic = 0;
  std::byte *address = nullptr;
  /// Of dimensions 1, 2, …; in bytes.
  std::array<int64_t, kMaxRank - 1> strides{};
  /// Elements, minus one.
  std::array<uint32_t, kMaxRank> lastIndices{};
  std::array<uint16_t, kMaxRank> box{};
  std::array<uint8_t, kMaxRank> elementStrides{};
  /// Im2col: the pixel box is [lower, last index + upper].
  std::array<int16_t, kMaxSpatial> lower{};
  std::array<int16_t, kMaxSpatial> upper{};
  uint16_t channels = 0;
  uint16_t pixels = 0;
  uint8_t rank = 0;
  uint8_t elementBytes = 0;
  SwizzleBits swizzle = 0;
  bool isIm2col = false;
  bool fillsNan = false;
  /// Loads round f32 to tf32.
  bool roundsToTF32 = false;

  int64_t lastIndex(unsigned dimension) const { return lastIndices[dimension]; }
  unsigned spatialRank() const { return rank - 2; }
  /// Bytes of a row, and of the whole box, in shared memory.
  uint32_t rowBytes() const {
    return (isIm2col ? channels : box[0]) * elementBytes;
  }
  uint64_t boxBytes() const;
  /// Elements that are copied along a dimension of a tiled box.
  uint32_t boxExtent(unsigned dimension) const;
};
static_assert(sizeof(TensorMapBlob) <= 128, "it must fit a kernel argument");

/// Where a copy starts: coordinates, innermost first, and im2col offsets.
struct TensorPosition {
  std::array<int32_t, kMaxRank> coordinates{};
  std::array<uint16_t, kMaxSpatial> offsets{};
};

/// One row of a box: consecutive bytes of shared memory before swizzling, and
/// of the tensor. Only the bytes in [begin, end) of it are in the tensor.
struct TensorRow {
  uint32_t sharedOffset = 0;
  /// Of the row's first byte; outside of the tensor, if begin is not 0.
  std::byte *address = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// Calls `visit(row)` for the rows of a box in the order of shared memory.
template <typename Visit>
void forEachRow(const TensorMapBlob &map, const TensorPosition &position,
                Visit visit);

//===----------------------------------------------------------------------===//
// Implementation
//===----------------------------------------------------------------------===//

using TensorIndex = std::array<int64_t, kMaxRank>;

/// The row that starts at an index of the tensor.
TensorRow rowAt(const TensorMapBlob &map, const TensorIndex &index);

/// Steps through a tiled box, the second dimension fastest; false at its end.
bool nextTiled(const TensorMapBlob &map, const TensorPosition &position,
               TensorIndex &index);

/// Steps to the next base position of the pixel box, then to the next image.
void nextPixel(const TensorMapBlob &map, TensorIndex &base);

template <typename Visit>
void forEachRow(const TensorMapBlob &map, const TensorPosition &position,
                Visit visit) {
  TensorIndex index{};
  for (unsigned i = 0; i < map.rank; ++i)
    index[i] = position.coordinates[i];
  uint32_t sharedOffset = 0, pixel = 0;
  bool more = true;
  while (more) {
    TensorIndex at = index;
    if (map.isIm2col)
      for (unsigned i = 0; i < map.spatialRank(); ++i)
        at[1 + i] += position.offsets[i];
    TensorRow row = rowAt(map, at);
    row.sharedOffset = sharedOffset;
    visit(row);
    sharedOffset += map.rowBytes();
    if (map.isIm2col) {
      nextPixel(map, index);
      more = ++pixel < map.pixels;
    } else {
      more = nextTiled(map, position, index);
    }
  }
}

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_COPIES_TENSORMAPBLOB_H
