//===- CudaTensorMap.cpp - tensor maps by the driver ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTensorMap.h"

namespace convmlir::cuda {

/// CUtensorMapDataType. The 8-bit types have no arithmetic in the copy engine:
/// bytes will do.
static int typeCode(ElementType type) {
  switch (type) {
  case ElementType::S8:
  case ElementType::E4M3:
  case ElementType::E5M2:
    return 0; // UINT8
  case ElementType::S32:
    return 3; // INT32
  case ElementType::F16:
    return 6; // FLOAT16
  case ElementType::F32:
    return 7; // FLOAT32
  case ElementType::F64:
    return 8; // FLOAT64
  case ElementType::BF16:
    return 9; // BFLOAT16
  case ElementType::TF32:
    return 11; // TFLOAT32
  }
  return 0;
}

template <typename T>
static std::vector<T> narrowed(const std::vector<int64_t> &values) {
  return std::vector<T>(values.begin(), values.end());
}

Status encodeTensorMap(const Driver &api, const TensorMap &map,
                       uint64_t address, TensorMapBits &bits) {
  bool tiled = map.mode == TensorMap::Mode::Tiled;
  if (tiled ? !api.tensorMapEncodeTiled : !api.tensorMapEncodeIm2col)
    return Error{"the kernel needs tensor maps, which this CUDA driver does "
                 "not know"};
  auto rank = static_cast<uint32_t>(map.extents.size());
  void *base = reinterpret_cast<void *>(address);
  auto extents = narrowed<uint64_t>(map.extents);
  auto strides = narrowed<uint64_t>(map.byteStrides);
  auto elementStrides = narrowed<uint32_t>(map.elementStrides);
  int type = typeCode(map.type), interleave = static_cast<int>(map.interleave),
      swizzle = static_cast<int>(map.swizzle),
      promotion = static_cast<int>(map.l2Promotion),
      fill = static_cast<int>(map.fill);
  if (tiled) {
    auto box = narrowed<uint32_t>(map.box);
    return api.check(api.tensorMapEncodeTiled(
                         &bits, type, rank, base, extents.data(),
                         strides.data(), box.data(), elementStrides.data(),
                         interleave, swizzle, promotion, fill),
                     "encode a tiled tensor map");
  }
  auto lower = narrowed<int>(map.lowerCorner);
  auto upper = narrowed<int>(map.upperCorner);
  return api.check(
      api.tensorMapEncodeIm2col(
          &bits, type, rank, base, extents.data(), strides.data(), lower.data(),
          upper.data(), static_cast<uint32_t>(map.channelsPerPixel),
          static_cast<uint32_t>(map.pixelsPerColumn), elementStrides.data(),
          interleave, swizzle, promotion, fill),
      "encode an im2col tensor map");
}

bool TensorMapCache::find(uint64_t address, TensorMapBits &bits) {
  std::scoped_lock lock(mutex);
  for (const Entry &entry : entries)
    if (entry.address == address && address != 0) {
      bits = entry.bits;
      return true;
    }
  return false;
}

void TensorMapCache::keep(uint64_t address, const TensorMapBits &bits) {
  std::scoped_lock lock(mutex);
  entries[oldest] = {address, bits};
  oldest = (oldest + 1) % entries.size();
}

Status TensorMapCache::get(const Driver &api, const TensorMap &map,
                           uint64_t address, TensorMapBits &bits) {
  if (find(address, bits))
    return {};
  Status status = encodeTensorMap(api, map, address, bits);
  if (status)
    keep(address, bits);
  return status;
}

} // namespace convmlir::cuda
