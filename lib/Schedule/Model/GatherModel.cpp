//===- GatherModel.cpp - time of transposed tiles -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/GatherModel.h"

#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/Windows.h"

using namespace mlir;
using namespace mlir::conv;

/// Bytes of the gathered operands in a cycle of a multiprocessor, measured on
/// an H200. Tiles of one tap come from memory, those of several mostly from the
/// L2 cache; a stride leaves a part of each sector unused. Those of wgrad are
/// read again by many workgroups.
static constexpr double kPositions = 5.4, kStrided = 3.3, kTaps = 9,
                        kStridedTaps = 6, kWgradPositions = 10,
                        kWgradStrided = 1, kWgradWindow = 2;
/// From the release of a slot until its next block of pieces is there, as
/// rings of four and of six slots say, of wgrad, most of whose blocks are in
/// the L2 cache, one of three slots; and slots that products hold.
static constexpr double kSlotCyclesOfPieces = 6000,
                        kSlotCyclesOfWgradPieces = 4200, kHeldSlots = 0.81;
/// Pieces of 8 bytes: of one operand, which comes from memory, and of both of
/// wgrad, whose warps take turns at shared memory with the products' reads, of
/// so many bytes a cycle: blocks of 256x128 took 2180 cycles, of 128x256 1950.
/// Pieces of 4 bytes are not measured: their rates are estimates.
static constexpr double kPieces = 11.5, kSmallPieces = 6, kWgradPieces = 62,
                        kWgradSmallPieces = 21, kReadsBesideWgradPieces = 71;
/// Of a line of a box of images: tiles of 64 and 128 rows of 14x14 took 1240
/// and 1940 to 2140 cycles a block, of 7x7 2380 to 3130.
static constexpr double kCyclesPerBoxLine = 9;
/// Of whole images: what TMA writes, warps read and write again, beside what
/// products read (HopperModel.cpp). Blocks of 32 channels of 196 positions and
/// 256 filters took 1270 cycles of 14x14, 1290 of 7x7.
static constexpr double kJoined = 30;
/// Of windows that warps transpose within shared memory, beside products. So
/// 128x128 tiles at 112x112 take as long as those of a transposed x, as
/// measured.
static constexpr double kWindow = 60;
/// Of a block of wgrad whose boxes come as they lie, of one or of two blocks at
/// a time. Where all is read from memory once (64 channels) it takes up to half
/// as long again.
static constexpr double kBoxes = 17, kCyclesPerBoxes = 300,
                        kCyclesPerTwoBoxes = 200;
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

/// Of both operands of wgrad together, of which only x has a stride.
static double getWgradRate(ScheduleAttr schedule, const GemmShape &gemm,
                           bool isStrided) {
  if (schedule.getWindow())
    return kWgradWindow;
  if (!isStrided)
    return kWgradPositions;
  double dy = gathersA(schedule, gemm) ? schedule.getTile()[0] : 0;
  double x = gathersB(schedule, gemm) ? schedule.getTile()[1] : 0;
  return (dy + x) / (dy / kWgradPositions + x / kWgradStrided);
}

static double getRate(ScheduleAttr schedule, const GemmShape &gemm) {
  if (copiesPieces(schedule, gemm))
    return gemm.gathered.neighbours > 2
               ? (gemm.wgrad.reducesRows ? kWgradPieces : kPieces)
               : (gemm.wgrad.reducesRows ? kWgradSmallPieces : kSmallPieces);
  bool isStrided =
      gemm.views.window &&
      gemm.views.window->stride[gemm.views.window->spatialRank - 1] > 1;
  if (gemm.wgrad.reducesRows)
    return getWgradRate(schedule, gemm, isStrided);
  if (schedule.getWindow())
    return kWindow;
  if (gemm.phases.front().taps > 1)
    return isStrided ? kStridedTaps : kTaps;
  return isStrided ? kStrided : kPositions;
}

double conv::getGatherCycles(ScheduleAttr schedule, const GemmShape &gemm,
                             double bytes, double readBytes) {
  if (bytes == 0)
    return 0;
  if (getImageSlots(schedule, gemm))
    return bytes / kJoined;
  if (auto boxes = getRawRowSlots(schedule, gemm))
    return schedule.getTile()[2] * boxes->raw.averageBoxes * kCyclesPerBoxLine;
  double cycles = bytes / getRate(schedule, gemm);
  if (!copiesPieces(schedule, gemm))
    return cycles;
  double slot = kSlotCyclesOfPieces;
  if (gemm.wgrad.reducesRows) {
    cycles += readBytes / kReadsBesideWgradPieces;
    slot = kSlotCyclesOfWgradPieces;
  }
  return std::max(cycles, slot / (schedule.getStages() - kHeldSlots));
}

double conv::getBoxCycles(double bytes, int64_t blocks) {
  return (blocks > 1 ? kCyclesPerTwoBoxes : kCyclesPerBoxes) + bytes / kBoxes;
}

double conv::getTranspositionCycles(double bytes) {
  return bytes == 0
             ? 0
             : 2 * bytes / kTransposedBytesPerCycle + kCyclesPerTransposition;
}

double conv::getOperandTranspositionCycles(ScheduleAttr schedule,
                                           const GemmShape &gemm) {
  int64_t bytes = gemm.gathered.transposedBytes;
  if (schedule.getGather()) {
    bool isDyApart = gemm.a.isTransposed && !gathersA(schedule, gemm);
    bytes = isDyApart ? gemm.phases.front().m * gemm.views.window->numRows() *
                            gemm.elementBytes
                      : 0;
  }
  return getTranspositionCycles(double(bytes));
}
