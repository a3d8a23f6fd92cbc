//===- LaunchOptions.h - how an emulated kernel is run ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plain data of a launch: geometry, strictness, and what comes back.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_EMULATOR_LAUNCHOPTIONS_H
#define CONV_EMULATOR_LAUNCHOPTIONS_H

#include <array>
#include <cstdint>
#include <string>

namespace convmlir {

/// Extents of a launch in x, y, z order, as for cuLaunchKernelEx.
struct LaunchGeometry {
  /// Workgroups (CTAs) of the grid.
  std::array<uint32_t, 3> grid{1, 1, 1};
  /// Threads of a workgroup.
  std::array<uint32_t, 3> block{1, 1, 1};
  /// Workgroups of a cluster; every extent divides that of the grid.
  std::array<uint32_t, 3> cluster{1, 1, 1};
  /// Bytes of dynamic shared memory of a workgroup.
  uint32_t dynamicSharedBytes = 0;
  /// Whether the kernel may begin before the one in front of it has ended: a
  /// thread that accesses global memory before its griddepcontrol.wait is
  /// reported.
  bool waits = false;
};

/// When the data of an asynchronous copy become visible.
enum class AsyncMode {
  /// As late as the rules allow: at the wait of the thread that issued it.
  Late,
  /// At once, when it is issued.
  Early,
};

/// What a tensor-core operand load (ldmatrix) of invalid bytes does.
enum class InvalidOperands {
  /// Reads NaN; counted, and the first one is described in the report. Kernels
  /// may legally load rows that feed only results which are dropped.
  Poison,
  /// Is a fault.
  Fault,
};

/// How strictly, and in which order of threads, a kernel is run.
struct LaunchOptions {
  AsyncMode asyncMode = AsyncMode::Late;
  InvalidOperands invalidOperands = InvalidOperands::Poison;
  /// Reports conflicting shared-memory accesses of two threads that no barrier
  /// orders, whatever order the threads were really run in.
  bool detectRaces = true;
  /// Counts sectors and bank conflicts of plain loads, stores and cp.async.
  bool countTraffic = true;
  /// 0: threads run in order. Other values: a random order of warps and lanes,
  /// the same for the same seed and kernel.
  uint64_t seed = 0;
  /// Host threads; clusters are distributed over them.
  unsigned hostThreads = 1;
  /// Loop iterations of all threads of a cluster without any progress after
  /// which a spinning kernel is reported.
  uint64_t spinLimit = uint64_t(1) << 29;
  /// The clusters of the grid that run, the x extent fastest: as many as there
  /// are from the first on. Tests of large tensors run few of them.
  uint64_t firstCluster = 0;
  uint64_t mostClusters = ~uint64_t(0);
};

/// What a profiler would count. Bytes and sectors are of global memory; a
/// sector is 32 bytes, counted once per warp instruction that touches it.
struct EmulatorCounters {
  /// Of all tensor-core operations.
  uint64_t mmaFlops = 0;
  /// mma.sync, counted per warp, and wgmma, per warpgroup.
  uint64_t mmaInstructions = 0;
  uint64_t wgmmaInstructions = 0;
  uint64_t globalLoadBytes = 0;
  uint64_t globalStoreBytes = 0;
  /// Bytes of the boxes that bulk copies moved to and from shared memory, zero
  /// fill included, once for each destination.
  uint64_t bulkLoadBytes = 0;
  uint64_t bulkStoreBytes = 0;
  uint64_t globalLoadSectors = 0;
  uint64_t globalStoreSectors = 0;
  /// Passes over the 32 banks that shared-memory accesses took.
  uint64_t sharedWavefronts = 0;
  /// Those passes that a conflict-free layout would not have needed.
  uint64_t sharedBankConflicts = 0;
  /// Barriers that were completed, counted per workgroup.
  uint64_t barriers = 0;

  EmulatorCounters &operator+=(const EmulatorCounters &other);
};

/// The outcome of a launch that could be started.
struct LaunchReport {
  /// Empty, or the first fault: the op, its source location, what is wrong,
  /// the thread. Buffers then hold what was written until the fault.
  std::string fault;
  EmulatorCounters counters;
  /// Invalid operand chunks read as NaN, and a description of the first one.
  uint64_t poisonedReads = 0;
  std::string firstPoisonedRead;
  /// Wall time of the launch.
  double seconds = 0;
};

} // namespace convmlir

#endif // CONV_EMULATOR_LAUNCHOPTIONS_H
