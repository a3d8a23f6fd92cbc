//===- CpAsyncQueue.h - cp.async copies of one thread -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The asynchronous copies that a thread has issued and not waited for, in
// committed groups.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_CPASYNCQUEUE_H
#define CONV_LIB_EMULATOR_RUNTIME_CPASYNCQUEUE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convmlir::emu {

struct Site;

/// One cp.async: `validBytes` come from the source, the rest is zero.
struct CpAsyncCopy {
  std::byte *destination;
  const std::byte *source;
  uint16_t bytes;
  uint16_t validBytes;
  const Site *site;
};

/// A FIFO that keeps its storage, because threads are reused for every
/// workgroup and allocating would dominate short kernels.
class CpAsyncQueue {
public:
  void clear() {
    copies.clear();
    groupEnds.clear();
    firstCopy = firstGroup = 0;
  }
  bool empty() const { return firstCopy == copies.size(); }
  const CpAsyncCopy &front() const { return copies[firstCopy]; }
  size_t committedGroups() const { return groupEnds.size() - firstGroup; }

  void add(const CpAsyncCopy &copy) { copies.push_back(copy); }
  void commit() { groupEnds.push_back(copies.size()); }

  /// Calls `land(copy)` for each copy of the oldest committed group.
  template <typename Land> void retireGroup(Land land) {
    for (size_t end = groupEnds[firstGroup++]; firstCopy < end; ++firstCopy)
      land(copies[firstCopy]);
    compact();
  }

private:
  void compact() {
    if (firstCopy < 256 && firstGroup < 256)
      return;
    copies.erase(copies.begin(), copies.begin() + firstCopy);
    groupEnds.erase(groupEnds.begin(), groupEnds.begin() + firstGroup);
    for (size_t &end : groupEnds)
      end -= firstCopy;
    firstCopy = firstGroup = 0;
  }

  std::vector<CpAsyncCopy> copies;
  std::vector<size_t> groupEnds;
  size_t firstCopy = 0;
  size_t firstGroup = 0;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_CPASYNCQUEUE_H
