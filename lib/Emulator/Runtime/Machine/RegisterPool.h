//===- RegisterPool.h - registers that warps give and take ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers of a workgroup that none of its warps holds. setmaxnreg moves
// registers between a warp and this pool.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_REGISTERPOOL_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_REGISTERPOOL_H

#include "conv/Chip/Chip.h"

#include <cstdint>
#include <deque>

namespace convmlir::emu {

struct Warp;

/// The most registers of a thread, and the most workgroups at the same time.
inline constexpr uint32_t kMostRegisters = kMostThreadRegisters;
inline constexpr uint32_t kMostResident = 32;

struct RegisterPool {
  /// A warp that waits for registers.
  struct Request {
    Warp *warp;
    uint32_t registers;
  };

  uint32_t free = 0;
  std::deque<Request> waiting;
};

/// Registers of a thread of a kernel whose compiler was told the size of the
/// workgroup, how many of them a multiprocessor must hold, and possibly a limit
/// (0: none).
uint32_t registersAtLaunch(uint32_t threads, uint32_t workgroups,
                           uint32_t limit);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_REGISTERPOOL_H
