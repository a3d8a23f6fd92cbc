//===- TensorMapBlob.cpp - what a tensor map holds ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorMapBlob.h and conv/Emulator/EmulatedTensorMap.h.
//
//===----------------------------------------------------------------------===//

#include "TensorMapBlob.h"
#include "conv/Emulator/EmulatedTensorMap.h"

#include "Runtime/Memory/SharedArena.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace convmlir::emu {

uint32_t TensorMapBlob::boxExtent(unsigned dimension) const {
  // The stride of the innermost dimension is ignored.
  uint32_t stride = dimension == 0 ? 1 : elementStrides[dimension];
  return (box[dimension] + stride - 1) / stride;
}

uint64_t TensorMapBlob::boxBytes() const {
  if (isIm2col)
    return uint64_t(rowBytes()) * pixels;
  uint64_t bytes = rowBytes();
  for (unsigned i = 1; i < rank; ++i)
    bytes *= boxExtent(i);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

TensorRow rowAt(const TensorMapBlob &map, const TensorIndex &index) {
  TensorRow row;
  int64_t bytes = map.rowBytes(), element = map.elementBytes;
  int64_t begin = std::clamp<int64_t>(-index[0] * element, 0, bytes);
  int64_t end = std::clamp<int64_t>((map.lastIndex(0) + 1 - index[0]) * element,
                                    0, bytes);
  row.address = map.address + index[0] * element;
  for (unsigned i = 1; i < map.rank; ++i) {
    if (index[i] < 0 || index[i] > map.lastIndex(i))
      return row;
    row.address += index[i] * map.strides[i - 1];
  }
  row.begin = uint32_t(begin);
  row.end = uint32_t(std::max(begin, end));
  return row;
}

bool nextTiled(const TensorMapBlob &map, const TensorPosition &position,
               TensorIndex &index) {
  for (unsigned i = 1; i < map.rank; ++i) {
    index[i] += map.elementStrides[i];
    if (index[i] < position.coordinates[i] + int64_t(map.box[i]))
      return true;
    index[i] = position.coordinates[i];
  }
  return false;
}

void nextPixel(const TensorMapBlob &map, TensorIndex &base) {
  for (unsigned i = 0; i < map.spatialRank(); ++i) {
    base[1 + i] += map.elementStrides[1 + i];
    if (base[1 + i] <= map.lastIndex(1 + i) + map.upper[i])
      return;
    base[1 + i] = map.lower[i];
  }
  ++base[map.rank - 1];
}

} // namespace convmlir::emu

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

namespace convmlir {

using emu::TensorMapBlob;

static Status checkEmulated(const TensorMap &map, const TensorMapBlob &blob) {
  if (map.interleave != TensorMapInterleave::None)
    return Error{"interleaved tensor maps are not emulated"};
  if (blob.boxBytes() > emu::kSharedWindowBytes)
    return Error{"a box of " + std::to_string(blob.boxBytes()) +
                 " bytes is larger than shared memory"};
  uint32_t span = emu::swizzleSpan(blob.swizzle);
  if (blob.swizzle && blob.rowBytes() < span)
    return Error{"a row of " + std::to_string(blob.rowBytes()) +
                 " bytes, which is shorter than the swizzle span of " +
                 std::to_string(span) + ", is not emulated"};
  return {};
}

template <typename To, typename From>
static void copyInto(To &to, const std::vector<From> &from) {
  std::copy(from.begin(), from.end(), to.begin());
}

static TensorMapBlob toBlob(const TensorMap &map, const void *address) {
  TensorMapBlob blob;
  blob.magic = TensorMapBlob::kMagic;
  blob.address = static_cast<std::byte *>(const_cast<void *>(address));
  blob.rank = uint8_t(map.extents.size());
  blob.elementBytes = uint8_t(byteSize(map.type));
  copyInto(blob.strides, map.byteStrides);
  for (unsigned i = 0; i < blob.rank; ++i)
    blob.lastIndices[i] = uint32_t(map.extents[i] - 1);
  copyInto(blob.box, map.box);
  copyInto(blob.elementStrides, map.elementStrides);
  copyInto(blob.lower, map.lowerCorner);
  copyInto(blob.upper, map.upperCorner);
  blob.channels = uint16_t(map.channelsPerPixel);
  blob.pixels = uint16_t(map.pixelsPerColumn);
  blob.swizzle = emu::SwizzleBits(map.swizzle);
  blob.isIm2col = map.mode == TensorMap::Mode::Im2col;
  blob.fillsNan = map.fill == TensorMapFill::NanRequestZeroFma;
  blob.roundsToTF32 = map.type == ElementType::TF32;
  return blob;
}

Result<EmulatedTensorMap> encodeForEmulator(const TensorMap &map,
                                            const void *address) {
  if (Status status = validate(map); !status)
    return Error{"tensor map: " + status.error()};
  if (uintptr_t(address) % 16)
    return Error{"tensor map: the tensor's address is not a multiple of 16"};
  TensorMapBlob blob = toBlob(map, address);
  if (Status status = checkEmulated(map, blob); !status)
    return Error{"tensor map: " + status.error()};
  EmulatedTensorMap encoded;
  std::memcpy(encoded.bytes.data(), &blob, sizeof blob);
  return encoded;
}

} // namespace convmlir
