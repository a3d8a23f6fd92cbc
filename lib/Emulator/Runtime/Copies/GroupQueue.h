//===- GroupQueue.h - operations in committed groups ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that a thread has issued and not waited for, in committed groups,
// the oldest first.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_COPIES_GROUPQUEUE_H
#define CONV_LIB_EMULATOR_RUNTIME_COPIES_GROUPQUEUE_H

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace convmlir::emu {

/// A FIFO that keeps its storage, because threads are reused for every
/// workgroup and allocating would dominate short kernels.
template <typename T> class GroupQueue {
public:
  void clear() {
    items.clear();
    groupEnds.clear();
    firstItem = firstGroup = 0;
  }
  bool empty() const { return firstItem == items.size(); }
  const T &front() const { return items[firstItem]; }
  size_t committedGroups() const { return groupEnds.size() - firstGroup; }

  void add(T item) { items.push_back(std::move(item)); }
  void commit() { groupEnds.push_back(items.size()); }

  /// Calls `retire(item)` for each item of the oldest committed group.
  template <typename Retire> void retireGroup(Retire retire) {
    for (size_t end = groupEnds[firstGroup++]; firstItem < end; ++firstItem)
      retire(items[firstItem]);
    compact();
  }

  /// Takes all items out, whether committed or not. Groups of theirs are empty
  /// then.
  std::vector<T> takeAll() {
    std::vector<T> taken(std::make_move_iterator(items.begin() + firstItem),
                         std::make_move_iterator(items.end()));
    items.clear();
    firstItem = 0;
    groupEnds.assign(groupEnds.size() - firstGroup, 0);
    firstGroup = 0;
    return taken;
  }

private:
  void compact() {
    if (firstItem < 256 && firstGroup < 256)
      return;
    items.erase(items.begin(), items.begin() + firstItem);
    groupEnds.erase(groupEnds.begin(), groupEnds.begin() + firstGroup);
    for (size_t &end : groupEnds)
      end -= firstItem;
    firstItem = firstGroup = 0;
  }

  std::vector<T> items;
  std::vector<size_t> groupEnds;
  size_t firstItem = 0;
  size_t firstGroup = 0;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_COPIES_GROUPQUEUE_H
