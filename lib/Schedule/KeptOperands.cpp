//===- KeptOperands.cpp - operands that a workgroup loads once ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/KeptOperands.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/ClusterShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

KeptOperand conv::getKeepable(ScheduleAttr schedule) {
  return schedule.getKn2row() ? KeptOperand::Left : KeptOperand::Right;
}

static bool hasRoomToKeep(ScheduleAttr schedule,
                          std::optional<int64_t> blocks) {
  if (!blocks)
    return false;
  return schedule.getWindow() ? *blocks == schedule.getStages()
                              : *blocks <= schedule.getStages();
}

std::string conv::whyNoRoomToKeep(ScheduleAttr schedule,
                                  std::optional<int64_t> blocks) {
  if (hasRoomToKeep(schedule, blocks))
    return "";
  if (schedule.getWindow())
    return formatv("a filter is kept beside windows in as many slots as it has "
                   "blocks, but there are {0} stages",
                   schedule.getStages());
  return formatv("its blocks must be no more than {0} stages",
                 schedule.getStages());
}

/// Tiles of all groups follow each other: the next one of a workgroup is of the
/// same group where these divide the workgroups.
static bool keepsGroup(ScheduleAttr schedule, const GemmShape &gemm) {
  return gemm.groups == 1 ||
         (schedule.getClusterSize() == 1 &&
          getPersistentWorkgroups(schedule, gemm.chip) % gemm.groups == 0);
}

/// Beside windows a filter stays where a group has one tile along gemm-n.
static bool hasSameFilterOfWindows(ScheduleAttr schedule,
                                   const GemmShape &gemm) {
  return gemm.views.window && keepsGroup(schedule, gemm) &&
         gemm.n <= schedule.getTile()[1] && !hasTail(schedule);
}

/// Filters with sums for taps: tiles along gemm-m come first.
static bool hasSameRows(ScheduleAttr schedule, const GemmShape &gemm) {
  int64_t tiles =
      llvm::divideCeil(gemm.phases.front().m, AddTapsOp::kBlockRows);
  return schedule.getClusterSize() == 1 &&
         getPersistentWorkgroups(schedule, gemm.chip) % tiles == 0;
}

/// Tiles of `forward` and `dgrad`, along gemm-k as a whole.
static bool hasSameColumns(ScheduleAttr schedule, const GemmShape &gemm) {
  return !schedule.getGather() && !gemm.wgrad.reducesRows &&
         !gemm.wgrad.isKMajor && gemm.groups == 1 && gemm.phases.size() == 1 &&
         keepsColumns(schedule, gemm) && schedule.getSplit() == 1 &&
         !hasTail(schedule) && schedule.getClusterSize() == 1;
}

static bool isSameInAllTiles(ScheduleAttr schedule, const GemmShape &gemm) {
  if (schedule.getWindow())
    return hasSameFilterOfWindows(schedule, gemm);
  return gemm.kn2row.tapSums > 1 ? hasSameRows(schedule, gemm)
                                 : hasSameColumns(schedule, gemm);
}

/// Blocks of the filter beside windows; of others those of the first phase.
static int64_t countKeptBlocks(ScheduleAttr schedule, const GemmShape &gemm) {
  if (!schedule.getWindow())
    return countBlocks(schedule, gemm);
  return gemm.views.window->numTaps() *
         int64_t(llvm::divideCeil(gemm.channels, schedule.getTile()[2]));
}

KeptOperand conv::getKeptOperand(ScheduleAttr schedule, const GemmShape &gemm) {
  bool stays = isSameInAllTiles(schedule, gemm) &&
               hasRoomToKeep(schedule, countKeptBlocks(schedule, gemm));
  return stays ? getKeepable(schedule) : KeptOperand::None;
}
