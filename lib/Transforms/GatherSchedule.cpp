//===- GatherSchedule.cpp - schedules that transpose tiles ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#include "GatherSchedule.h"

#include "Windows.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

bool conv::gathersA(ScheduleAttr schedule, const GemmShape &gemm) {
  return schedule.getGather() && gemm.isTransposedA;
}

bool conv::gathersB(ScheduleAttr schedule, const GemmShape &gemm) {
  return schedule.getGather() && gemm.isTransposedB;
}

/// Channels of the operands that are gathered: they fill whole chunks.
static SmallVector<int64_t> getGatheredChannels(ScheduleAttr schedule,
                                                const GemmShape &gemm) {
  SmallVector<int64_t> channels;
  if (gathersA(schedule, gemm))
    channels.push_back(gemm.reducesRows ? gemm.phases.front().m
                                        : gemm.channels);
  if (gathersB(schedule, gemm))
    channels.push_back(gemm.n);
  return channels;
}

std::string conv::whyNoGather(ScheduleAttr schedule, const GemmShape &gemm) {
  constexpr int64_t bytes = 2, unit = 8;
  SmallVector<int64_t> gathered = getGatheredChannels(schedule, gemm);
  if (gathered.empty())
    return "gather transposes tiles of tensors with channels first, but this "
           "operation multiplies none that is transposed";
  if (gemm.elementBytes != bytes)
    return formatv("gather transposes elements of {0} bits, not of {1}",
                   8 * bytes, 8 * gemm.elementBytes);
  if (gemm.groups > 1)
    return "gather has no groups yet";
  if (schedule.getClusterSize() > 1)
    return "gather has no clusters yet";
  for (int64_t channels : gathered)
    if (channels % unit != 0)
      return formatv("gather takes a multiple of {0} channels, not {1}", unit,
                     channels);
  return "";
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Bytes a cycle of a multiprocessor, with loads of 2 bytes and of 4. Measured
/// with one team of warps and 64 or 32 loads of a thread on their way: 6.6 from
/// memory, 8.6 from the L2 cache.
static constexpr double kGatheredBytesPerCycle = 6,
                        kGatheredBytesPerCycleInPairs = 6;
/// Bytes that all multiprocessors read and write in a cycle, and what a launch
/// takes.
static constexpr double kTransposedBytesPerCycle = 1900,
                        kCyclesPerTransposition = 1930;

/// Windows are of the left operand: what else is copied are rows of the filter.
double conv::getGatheredRows(ScheduleAttr schedule, const GemmShape &gemm,
                             double copiedRows) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double rows = 0;
  if (gathersA(schedule, gemm))
    rows += !schedule.getWindow()               ? tile[0]
            : hasResidentFilter(schedule, gemm) ? copiedRows
                                                : copiedRows - tile[1];
  if (gathersB(schedule, gemm))
    rows += tile[1];
  return rows;
}

double conv::getGatherCycles(const GemmShape &gemm, double bytes) {
  return bytes / (gemm.hasPairsOfPositions ? kGatheredBytesPerCycleInPairs
                                           : kGatheredBytesPerCycle);
}

double conv::getOperandTranspositionCycles(ScheduleAttr schedule,
                                           const GemmShape &gemm) {
  if (schedule.getGather() || gemm.transposedBytes == 0)
    return 0;
  return 2.0 * gemm.transposedBytes / kTransposedBytesPerCycle +
         kCyclesPerTransposition;
}
