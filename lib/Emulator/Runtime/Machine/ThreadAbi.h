//===- ThreadAbi.h - what compiled code reads of a thread -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled kernels receive a pointer to their thread and read special registers
// and a few pointers from fixed offsets. This is the whole contract between the
// lowering and the runtime, besides the handlers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_THREADABI_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_THREADABI_H

#include <cstddef>
#include <cstdint>

namespace convmlir::emu {

/// Lanes of a warp.
inline constexpr unsigned kWarpSize = 32;
/// Threads of a warpgroup, and its warps.
inline constexpr unsigned kWarpgroupSize = 128;
inline constexpr unsigned kWarpgroupWarps = kWarpgroupSize / kWarpSize;
/// The mask of a whole warp.
inline constexpr uint32_t kFullMask = ~uint32_t(0);

/// PTX special registers, in words.
struct SpecialRegisters {
  uint32_t tid[3];
  uint32_t ntid[3];
  uint32_t ctaid[3];
  uint32_t nctaid[3];
  uint32_t clusterid[3];
  uint32_t nclusterid[3];
  uint32_t clusterCtaid[3];
  uint32_t clusterNctaid[3];
  uint32_t clusterCtarank;
  uint32_t clusterNctarank;
  uint32_t laneid;
  uint32_t warpid;
  uint32_t nwarpid;
  uint32_t warpSize;
  uint32_t lanemaskEq;
  uint32_t lanemaskLt;
  uint32_t lanemaskLe;
  uint32_t lanemaskGt;
  uint32_t lanemaskGe;
  uint32_t smid;
  uint32_t nsmid;
  uint32_t gridid;
  uint32_t totalSharedBytes;
  uint32_t dynamicSharedBytes;
};

/// The head of every Thread.
struct ThreadAbi {
  SpecialRegisters registers;
  /// Start of the workgroup's shared memory, below 4 GB.
  std::byte *shared;
  /// The thread's operand mailbox.
  std::byte *mailbox;
  /// Loop iterations left until the thread must let others run.
  int64_t loopBudget;
};

/// What a compiled kernel looks like: the thread, and pointers to the values of
/// its arguments.
using KernelEntry = void (*)(ThreadAbi *thread, void **arguments);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_THREADABI_H
