//===- Fiber.h - stacks of emulated threads ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stacks of a worker's fibers, and the switch between them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_FIBER_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_FIBER_H

#include "conv/Support/Result.h"

#include <cstddef>

extern "C" {
/// Saves the running fiber's stack pointer in `*savedStack`, runs the other.
void emuSwitchFiber(void **savedStack, void *nextStack);
/// Runs another fiber and forgets the running one.
[[noreturn]] void emuResumeFiber(void *nextStack);
}

namespace convmlir::emu {

/// A row of equally large stacks, each with an inaccessible lowest page.
class FiberStacks {
public:
  FiberStacks() = default;
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;
  ~FiberStacks();

  /// Makes room for `count` stacks. Called once.
  Status reserve(size_t count);

  /// Readies stack `index` so that switching to the result calls
  /// `function(argument)`, which must not return.
  void *prepare(size_t index, void (*function)(void *), void *argument) const;

  /// Behind the oldest byte of stack `index`.
  const std::byte *endOf(size_t index) const;

private:
  std::byte *base = nullptr;
  size_t count = 0;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_FIBER_H
