//===- SharedShadow.h - what is known of each shared byte -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadow of a workgroup's shared memory: which bytes hold a value, which
// ones an asynchronous operation is about to write or to read, who accessed
// them last, and who wrote them without a proxy fence since.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDSHADOW_H
#define CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDSHADOW_H

#include "VectorClock.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace convmlir::emu {

/// Bytes of a granule, the unit in which the shadow is kept: the size of a row
/// of an 8x8 matrix and of the widest copy of a thread.
inline constexpr uint32_t kGranuleBytes = 16;
/// Bytes that share one stamp of last access: the narrowest element that
/// several threads store side by side.
inline constexpr uint32_t kStampBytes = 1;

class SharedShadow {
public:
  /// What is known of one granule. Masks have one bit per byte.
  struct Granule {
    uint16_t written = 0;
    uint16_t inFlight = 0;
    /// Changes with each write that is begun; never 0.
    uint16_t version = 1;
    /// wgmma and bulk stores that are issued and may not have read it yet.
    uint16_t wgmmaReaders = 0;
    uint16_t storeReaders = 0;
    /// 1 + clock slot of the thread that wrote it through the generic proxy and
    /// has not fenced since; 0 for none.
    uint16_t unfencedBy = 0;
    /// Which half holds an mbarrier object, one bit each.
    uint8_t mbarriers = 0;
    /// Last accesses are kept for each stamp apart, not for the whole.
    bool split = false;
  };

  /// Last accesses.
  struct Access {
    AccessStamp writer;
    AccessStamp reader;
  };

  static constexpr uint32_t kStamps = kGranuleBytes / kStampBytes;

  /// Starts over: nothing is written. Accesses are kept only for race
  /// detection.
  void reset(uint32_t bytes, bool withAccesses) {
    uint32_t count = (bytes + kGranuleBytes - 1) / kGranuleBytes;
    granules.assign(count, Granule());
    wholes.assign(withAccesses ? count : 0, Access());
    parts.resize(withAccesses ? size_t(count) * kStamps : 0);
  }

  Granule &granule(uint32_t index) { return granules[index]; }

  /// The accesses of a granule that is not split, and of the stamps of one that
  /// is.
  Access &whole(uint32_t index) { return wholes[index]; }
  Access *stamps(uint32_t index) { return &parts[size_t(index) * kStamps]; }

  /// From now on, accesses of the granule are kept for each stamp.
  void split(uint32_t index) {
    if (granules[index].split)
      return;
    granules[index].split = true;
    std::fill_n(stamps(index), kStamps, wholes[index]);
  }

private:
  std::vector<Granule> granules;
  std::vector<Access> wholes;
  std::vector<Access> parts;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDSHADOW_H
