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

#include "GroupQueue.h"

#include <cstddef>
#include <cstdint>

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

using CpAsyncQueue = GroupQueue<CpAsyncCopy>;

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_CPASYNCQUEUE_H
