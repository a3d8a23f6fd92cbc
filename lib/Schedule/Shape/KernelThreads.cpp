//===- KernelThreads.cpp - threads and registers of a kernel --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/KernelThreads.h"

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kRegisterGranularity = 8;

int64_t mlir::conv::getInitialRegisters(ScheduleAttr schedule) {
  int64_t threads = getNumThreads(schedule) * schedule.getResident();
  return std::min<int64_t>(
      convmlir::kMostThreadRegisters,
      llvm::alignDown(convmlir::getFullestChip().registersPerSM / threads,
                      kRegisterGranularity));
}

int64_t mlir::conv::getProducerRegisters(ScheduleAttr schedule) {
  constexpr int64_t copies = 40, gathers = 152, transposes = 128, least = 104;
  // Of images that are joined, or taken into registers by the consumers.
  bool copiesImages = swapsOperands(schedule) &&
                      (!schedule.getWindow() || readsImageTaps(schedule));
  if (!schedule.getGather() || copiesImages)
    return copies;
  bool isWide =
      getNumConsumerWarpgroups(schedule) <= 2 && schedule.getResident() == 1;
  // Windows are transposed from shared memory.
  return !isWide ? least : schedule.getWindow() ? transposes : gathers;
}

bool mlir::conv::shiftsRegisters(ScheduleAttr schedule) {
  return (getNumConsumerWarpgroups(schedule) > 1 ||
          schedule.getResident() > 1) &&
         getProducerRegisters(schedule) < getInitialRegisters(schedule);
}

/// Source: PTX ISA, "setmaxnreg": multiples of 8, of which 240 can be asked for
/// beside a producer.
int64_t mlir::conv::getConsumerRegisters(ScheduleAttr schedule) {
  constexpr int64_t most = 240;
  int64_t consumers = getNumConsumerWarpgroups(schedule);
  if (schedule.getGather() && !shiftsRegisters(schedule))
    return getInitialRegisters(schedule);
  int64_t pool = getInitialRegisters(schedule) * (consumers + 1) -
                 getProducerRegisters(schedule);
  return std::min<int64_t>(
      most, llvm::alignDown(pool / consumers, kRegisterGranularity));
}
