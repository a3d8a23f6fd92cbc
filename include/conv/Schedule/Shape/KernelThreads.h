//===- KernelThreads.h - threads and registers of a kernel ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels whose operands TMA copies have, after the warps that the schedule
// names (the consumers), one more warpgroup, the producer.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_SHAPE_KERNELTHREADS_H
#define CONV_SCHEDULE_SHAPE_KERNELTHREADS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

namespace mlir::conv {

inline constexpr int64_t kWarpSize = 32, kWarpsPerWarpgroup = 4;
inline constexpr int64_t kWarpgroupSize = kWarpsPerWarpgroup * kWarpSize;

/// Of one instruction of a warpgroup.
inline constexpr int64_t kRowsOfWgmma = 64;

/// Whether the schedule's kernel has warps with roles.
inline bool hasProducer(ScheduleAttr schedule) {
  return schedule.getCopy() == CopyKind::Tma;
}

/// Warps that multiply and store, of all teams.
inline int64_t getNumConsumerWarps(ScheduleAttr schedule) {
  return schedule.getTeams() * schedule.getThreads() / kWarpSize;
}

inline int64_t getNumConsumerWarpgroups(ScheduleAttr schedule) {
  return getNumConsumerWarps(schedule) / kWarpsPerWarpgroup;
}

/// Threads of a workgroup, the producer's among them.
inline int64_t getNumThreads(ScheduleAttr schedule) {
  return getNumConsumerWarps(schedule) * kWarpSize +
         (hasProducer(schedule) ? kWarpgroupSize : 0);
}

/// Warps of the producer's warpgroup that do not copy: helpers, where a kernel
/// has work for them.
inline constexpr int64_t kHelperWarps = kWarpsPerWarpgroup - 1;

/// Registers of a thread of the producer, after it has given up the rest. Those
/// that gather hold their loads in them.
int64_t getProducerRegisters(ScheduleAttr schedule);

/// Whether the producer gives up registers for the consumers.
bool shiftsRegisters(ScheduleAttr schedule);

/// Registers of each thread when a kernel begins.
int64_t getInitialRegisters(ScheduleAttr schedule);

/// Registers of a consumer's thread when it has got them: those that the
/// resident workgroups of a multiprocessor leave each other.
int64_t getConsumerRegisters(ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_KERNELTHREADS_H
