//===- WarpQueue.h - warps that can run -------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The FIFO of warps with ready lanes. Each warp is in it at most once, so a
// ring of fixed size suffices.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_WARPQUEUE_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_WARPQUEUE_H

#include <cstddef>
#include <utility>
#include <vector>

namespace convmlir::emu {

struct Warp;

class WarpQueue {
public:
  /// Empties the queue and gives it room for `warps` warps.
  void reset(size_t warps) {
    ring.assign(warps, nullptr);
    head = count = 0;
  }
  bool empty() const { return count == 0; }
  size_t size() const { return count; }

  void push(Warp *warp) {
    at(count) = warp;
    ++count;
  }
  /// Takes out the warp at `position`; 0 is the oldest.
  Warp *pop(size_t position) {
    std::swap(at(0), at(position));
    Warp *warp = at(0);
    head = wrap(head + 1);
    --count;
    return warp;
  }

private:
  size_t wrap(size_t i) const { return i < ring.size() ? i : i - ring.size(); }
  Warp *&at(size_t position) { return ring[wrap(head + position)]; }

  std::vector<Warp *> ring;
  size_t head = 0;
  size_t count = 0;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_WARPQUEUE_H
