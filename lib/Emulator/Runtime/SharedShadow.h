//===- SharedShadow.h - what is known of each shared byte -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadow of a workgroup's shared memory: which bytes hold a value, which
// ones an asynchronous copy is about to write, and who accessed them last.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_SHAREDSHADOW_H
#define CONV_LIB_EMULATOR_RUNTIME_SHAREDSHADOW_H

#include "VectorClock.h"

#include <cstdint>
#include <vector>

namespace convmlir::emu {

/// Bytes of a granule, the unit in which the shadow is kept: the size of a row
/// of an 8x8 matrix and of the widest copy of a thread.
inline constexpr uint32_t kGranuleBytes = 16;
/// Bytes that share one stamp of last access: the narrowest element that
/// several threads store side by side.
inline constexpr uint32_t kStampBytes = 2;

class SharedShadow {
public:
  /// One bit per byte of the granule.
  struct Granule {
    uint16_t written = 0;
    uint16_t inFlight = 0;
  };

  /// Last accesses of a stamp's bytes.
  struct Access {
    AccessStamp writer;
    AccessStamp reader;
  };

  /// Starts over: nothing is written. Stamps are kept only for race detection.
  void reset(uint32_t bytes, bool withStamps) {
    granules.assign((bytes + kGranuleBytes - 1) / kGranuleBytes, Granule());
    accesses.assign(withStamps ? bytes / kStampBytes + 1 : 0, Access());
  }

  Granule &granule(uint32_t index) { return granules[index]; }
  Access *access(uint32_t offset) { return &accesses[offset / kStampBytes]; }

private:
  std::vector<Granule> granules;
  std::vector<Access> accesses;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_SHAREDSHADOW_H
