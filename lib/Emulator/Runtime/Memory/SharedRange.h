//===- SharedRange.h - a piece of a workgroup's shared memory ---*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of the shared memory of one workgroup, and a walk over their granules.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDRANGE_H
#define CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDRANGE_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

struct SharedRange {
  Cta &cta;
  uint32_t offset;
  uint32_t bytes;
};

/// All bytes of a granule.
inline constexpr uint16_t kWholeGranule = 0xFFFF;

/// The range of [pointer, pointer + bytes), or a fault: outside of shared
/// memory, out of bounds, in a workgroup that has exited. `verb` is the noun of
/// the access in the message: "read", "write", "copy".
SharedRange resolveShared(Thread &thread, const Site &site, const void *pointer,
                          uint32_t bytes, const char *verb);

/// Calls `visit(index, mask, offset)` for each granule of a range: the bytes of
/// it that belong to the range, and the first of them as an offset.
template <typename Visit>
void forEachGranule(const SharedRange &range, Visit visit) {
  uint32_t offset = range.offset, end = range.offset + range.bytes;
  while (offset < end) {
    uint32_t index = offset / kGranuleBytes;
    uint32_t low = offset % kGranuleBytes;
    uint32_t high = std::min(end - index * kGranuleBytes, kGranuleBytes);
    auto mask = uint16_t((1u << high) - (1u << low));
    visit(index, mask, offset);
    offset = (index + 1) * kGranuleBytes;
  }
}

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDRANGE_H
