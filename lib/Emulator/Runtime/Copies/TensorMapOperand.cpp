//===- TensorMapOperand.cpp - operands of bulk tensor copies --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorMapOperand.h.
//
//===----------------------------------------------------------------------===//

#include "TensorMapOperand.h"
#include "Runtime/Machine/Fault.h"

#include <algorithm>

namespace convmlir::emu {

static constexpr uint32_t kSharedAlignment = 128;
static constexpr uintptr_t kMapAlignment = 64;

const TensorMapBlob &tensorMapAt(Thread &thread, const Site &site,
                                 const std::byte *pointer, unsigned rank,
                                 bool isIm2col) {
  if (uintptr_t(pointer) % kMapAlignment)
    fault(thread, site, "the tensor map's address %p is not a multiple of %zu",
          static_cast<const void *>(pointer), size_t(kMapAlignment));
  const std::vector<const void *> &maps = thread.worker->launch->tensorMaps;
  auto &map = *reinterpret_cast<const TensorMapBlob *>(pointer);
  // What a kernel wrote itself may look like a map.
  if (std::find(maps.begin(), maps.end(), pointer) == maps.end() ||
      map.magic != TensorMapBlob::kMagic)
    fault(thread, site, "there is no tensor map at %p",
          static_cast<const void *>(pointer));
  if (map.rank != rank)
    fault(thread, site, "%u coordinates for a tensor map of rank %u", rank,
          map.rank);
  if (map.isIm2col != isIm2col)
    fault(thread, site, "the copy is %s, its tensor map is %s",
          isIm2col ? "im2col" : "tiled", map.isIm2col ? "im2col" : "tiled");
  return map;
}

/// Offsets have as many bits as the rank leaves them.
static uint32_t offsetLimit(unsigned rank) {
  return rank == 3 ? 65536 : rank == 4 ? 256 : 32;
}

void checkPosition(Thread &thread, const Site &site, const TensorMapBlob &map,
                   const TensorPosition &position) {
  // Seen on an H200; the PTX ISA does not say so.
  constexpr int64_t unit = 16;
  if (int64_t first = int64_t(position.coordinates[0]) * map.elementBytes;
      first % unit != 0)
    fault(thread, site,
          "starts at byte %lld of dimension 0, which is not a multiple of "
          "%lld: an illegal instruction",
          static_cast<long long>(first), static_cast<long long>(unit));
  if (!map.isIm2col)
    return;
  for (unsigned i = 0; i < map.spatialRank(); ++i) {
    int64_t first = map.lower[i], last = map.lastIndex(1 + i) + map.upper[i];
    int32_t start = position.coordinates[1 + i];
    if (start < first || start > last)
      fault(thread, site,
            "starts at %d in dimension %u, outside of the pixel box [%lld, "
            "%lld]: an illegal instruction",
            start, 1 + i, static_cast<long long>(first),
            static_cast<long long>(last));
    if (position.offsets[i] >= offsetLimit(map.rank))
      fault(thread, site, "offset %u in dimension %u; %u is the largest",
            position.offsets[i], 1 + i, offsetLimit(map.rank) - 1);
  }
}

void checkBulkAlignment(Thread &thread, const Site &site, uint32_t offset) {
  if (offset % kSharedAlignment)
    fault(thread, site, "shared offset %u is not a multiple of %u", offset,
          kSharedAlignment);
}

} // namespace convmlir::emu
