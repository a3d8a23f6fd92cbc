//===- Resources.cpp - shared memory and registers of a kernel ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Resources.h"

#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/Shape/MmaShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;
using llvm::formatv;

/// Columns of an instruction, and bytes of an element that `stmatrix`
/// transposes.
static constexpr int64_t kMostColumns = 256, kMatrixBytes = 2;

int64_t conv::getWarpgroupRows(ScheduleAttr schedule) {
  int64_t warps = swapsOperands(schedule) ? 1 : kWarpsPerWarpgroup;
  return schedule.getTile()[0] * warps / schedule.getWarps()[0];
}

int64_t conv::getRegistersPerSum(const GemmShape &gemm) {
  return isFloat8(gemm.factorType) ? 2 : 1;
}

int64_t conv::getStagedRows(ScheduleAttr schedule) {
  return schedule.getStaging() > 0 && !swapsOperands(schedule)
             ? std::max(schedule.getStaging(), kRowsOfWgmma)
             : getWarpgroupRows(schedule);
}

int64_t conv::getStagedColumns(ScheduleAttr schedule) {
  int64_t staging = schedule.getStaging(), columns = schedule.getTile()[1];
  if (swapsOperands(schedule)) {
    int64_t filters = columns * kWarpsPerWarpgroup / schedule.getWarps()[1];
    return staging > 0 ? std::min(staging, filters) : filters;
  }
  return staging > 0 && staging < kRowsOfWgmma
             ? columns * staging / kRowsOfWgmma
             : columns;
}

int64_t conv::countStagedParts(ScheduleAttr schedule) {
  if (swapsOperands(schedule))
    return schedule.getTile()[1] * kWarpsPerWarpgroup /
           (schedule.getWarps()[1] * getStagedColumns(schedule));
  return getWarpgroupRows(schedule) / getStagedRows(schedule) *
         (schedule.getTile()[1] / getStagedColumns(schedule));
}

int64_t conv::getStagedBytes(ScheduleAttr schedule, int64_t resultBytes) {
  int64_t elements = (getStagedRows(schedule) + getScratchRows(schedule)) *
                     getStagedColumns(schedule) *
                     getNumConsumerWarpgroups(schedule);
  return llvm::alignTo(elements * resultBytes, kBarrierBytes);
}

int64_t conv::getTileSharedBytes(ScheduleAttr schedule, int64_t factorBytes,
                                 int64_t resultBytes, int64_t blocksOfB) {
  ArrayRef<int64_t> tile = schedule.getTile();
  auto getRing = [&](int64_t slots, int64_t rows) {
    return llvm::alignTo(slots * rows * tile[2] * factorBytes, kBarrierBytes);
  };
  return getStagedBytes(schedule, resultBytes) + kBarrierBytes +
         getRing(schedule.getStages(), getTileLines(schedule)) +
         getRing(blocksOfB, tile[1]);
}

int64_t conv::getTileSharedBytes(ScheduleAttr schedule, int64_t factorBytes,
                                 int64_t resultBytes) {
  return getTileSharedBytes(schedule, factorBytes, resultBytes,
                            schedule.getStages());
}

bool conv::keepsColumns(ScheduleAttr schedule, const GemmShape &gemm) {
  int64_t tiles = llvm::divideCeil(gemm.n, schedule.getTile()[1]);
  return tiles <= 1 ||
         getPersistentWorkgroups(schedule, gemm.chip) % tiles == 0;
}

int64_t conv::getSharedBytesPerWorkgroup(ScheduleAttr schedule,
                                         const ChipInfo &chip) {
  return std::min(chip.sharedPerBlock,
                  chip.sharedPerSM / schedule.getResident() -
                      convmlir::kSystemSharedBytes);
}

int64_t conv::getSharedBytesPerWorkgroup(ScheduleAttr schedule) {
  return getSharedBytesPerWorkgroup(schedule, convmlir::getFullestChip());
}

std::string conv::whyNotResident(ScheduleAttr schedule, int64_t shared,
                                 int64_t columns, const ChipInfo &chip,
                                 int64_t registersPerSum) {
  int64_t resident = schedule.getResident();
  int64_t threads = getNumThreads(schedule) * resident;
  if (threads > chip.threadsPerSM)
    return formatv("{0} threads of {1} resident workgroups, but {2} has {3} on "
                   "a multiprocessor",
                   threads, resident, chip.name, chip.threadsPerSM);
  int64_t available = getSharedBytesPerWorkgroup(schedule, chip);
  if (shared > available)
    return formatv("{0} bytes of shared memory, what is staged of the result "
                   "among them, but {1} has {2} for {3}",
                   shared, chip.name, available,
                   resident == 1
                       ? std::string("a workgroup")
                       : formatv("each of {0} workgroups", resident).str());
  // ptxas compiles each instruction within the registers that the kernel begins
  // with, whatever it asks for later (C7602).
  constexpr int64_t registersOfWgmma = 26;
  int64_t initial = getInitialRegisters(schedule);
  if (int64_t needed = columns / 2 + registersOfWgmma; needed > initial)
    return formatv("wgmma of {0} columns takes {1} registers, but a thread "
                   "begins with {2}; use a smaller tile gemm-n, fewer warps or "
                   "fewer resident workgroups",
                   columns, needed, initial);
  // What a thread needs besides its accumulators, which come in groups; those
  // of positions, in the place of filters, have any number of eight.
  bool countsPositions = swapsOperands(schedule) &&
                         (schedule.getTeams() > 1 || schedule.getStaging() > 0);
  int64_t otherRegisters = countsPositions ? 32 : 40;
  int64_t granularity = countsPositions ? 8 : 32;
  int64_t limit = llvm::alignDown(
      std::max<int64_t>(getConsumerRegisters(schedule) - otherRegisters, 0),
      granularity);
  int64_t registers = schedule.getTile()[0] * schedule.getTile()[1] /
                      schedule.getThreads() * registersPerSum;
  if (registers > limit)
    return formatv(
        "{0} registers of sums a thread, but at most {1} leave room for "
        "the rest; use more warps, a smaller tile or fewer resident "
        "workgroups",
        registers, limit);
  return "";
}

int64_t conv::getScratchRows(ScheduleAttr schedule) {
  if (!swapsOperands(schedule))
    return 0;
  constexpr int64_t threadElements = convmlir::kChunkBytes / kMatrixBytes;
  int64_t staged = getStagedRows(schedule);
  int64_t rows = llvm::divideCeil(kWarpgroupSize * threadElements,
                                  getStagedColumns(schedule));
  // The next warpgroup's panels begin where the swizzle repeats.
  return llvm::alignTo(staged + rows, SharedTile::kSwizzlePeriod) - staged;
}

int64_t conv::getTileLines(ScheduleAttr schedule) {
  int64_t positions = schedule.getTile()[0];
  // Gathered, they are columns.
  if (schedule.getGather() && !schedule.getWindow())
    return PanelTile::alignColumns(positions, kMatrixBytes);
  return llvm::alignTo(positions, SharedTile::kSwizzlePeriod);
}

int64_t conv::countWholeImages(ScheduleAttr schedule, int64_t positions,
                               int64_t channels, int64_t resultBytes) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  bool isImages = swapsOperands(schedule) && !schedule.getWindow() &&
                  warps[0] == 1 && positions > 0 && positions <= kMostColumns &&
                  tile[0] % positions == 0;
  bool isRun = getStagedColumns(schedule) == kRowsOfWgmma &&
               channels % kRowsOfWgmma == 0 && resultBytes == kMatrixBytes;
  return isImages && isRun ? tile[0] / positions : 0;
}

int64_t conv::countWholeImages(ScheduleAttr schedule, const GemmShape &gemm) {
  return gemm.stored.isTransposed
             ? countWholeImages(schedule, gemm.stored.imagePositions, gemm.n,
                                gemm.epilogue.resultBytes)
             : 0;
}
