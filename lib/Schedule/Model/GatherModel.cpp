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
#include "conv/Schedule/KeptOperands.h"
#include "conv/Schedule/Model/Rates.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;

/// Windows are of the left operand: what else is copied are rows of the filter.
double conv::getGatheredRows(ScheduleAttr schedule, const GemmShape &gemm,
                             double copiedRows) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double rows = 0;
  if (gathersA(schedule, gemm))
    rows += !schedule.getWindow() ? tile[0]
            : getKeptOperand(schedule, gemm) == KeptOperand::Right
                ? copiedRows
                : copiedRows - tile[1];
  if (gathersB(schedule, gemm))
    rows += tile[1];
  return rows;
}

/// Of both operands of wgrad together, of which only x has a stride.
static double getWgradRate(ScheduleAttr schedule, const GemmShape &gemm,
                           bool isStrided) {
  if (schedule.getWindow())
    return kGatheredWgradWindowBytesPerCycle;
  if (!isStrided)
    return kGatheredWgradBytesPerCycle;
  double dy = gathersA(schedule, gemm) ? schedule.getTile()[0] : 0;
  double x = gathersB(schedule, gemm) ? schedule.getTile()[1] : 0;
  return (dy + x) / (dy / kGatheredWgradBytesPerCycle +
                     x / kGatheredStridedWgradBytesPerCycle);
}

static double getRate(ScheduleAttr schedule, const GemmShape &gemm) {
  if (copiesPieces(schedule, gemm))
    return gemm.gathered.neighbours > 2
               ? (gemm.wgrad.reducesRows ? kWgradPieceBytesPerCycle
                                         : kPieceBytesPerCycle)
               : (gemm.wgrad.reducesRows ? kWgradSmallPieceBytesPerCycle
                                         : kSmallPieceBytesPerCycle);
  bool isStrided =
      gemm.views.window &&
      gemm.views.window->stride[gemm.views.window->spatialRank - 1] > 1;
  if (gemm.wgrad.reducesRows)
    return getWgradRate(schedule, gemm, isStrided);
  if (schedule.getWindow())
    return kTransposedWindowBytesPerCycle;
  if (gemm.phases.front().taps > 1)
    return isStrided ? kGatheredStridedTapsBytesPerCycle
                     : kGatheredTapsBytesPerCycle;
  return isStrided ? kGatheredStridedBytesPerCycle : kGatheredBytesPerCycle;
}

double conv::getGatherCycles(ScheduleAttr schedule, const GemmShape &gemm,
                             double bytes, double readBytes) {
  if (bytes == 0)
    return 0;
  if (getImageSlots(schedule, gemm))
    return bytes / kJoinedBytesPerCycle;
  if (auto boxes = getRawRowSlots(schedule, gemm))
    return schedule.getTile()[2] * boxes->raw.averageBoxes * kCyclesPerBoxLine;
  double cycles = bytes / getRate(schedule, gemm);
  if (!copiesPieces(schedule, gemm))
    return cycles;
  double slot = kSlotCyclesOfPieces;
  if (gemm.wgrad.reducesRows) {
    cycles += readBytes / kReadBytesPerCycleBesidePieces;
    slot = kSlotCyclesOfWgradPieces;
  }
  return std::max(cycles, slot / (schedule.getStages() - kHeldSlots));
}

double conv::getBoxCycles(double bytes, int64_t blocks) {
  return (blocks > 1 ? kCyclesPerBoxOfTwo : kCyclesPerBox) +
         bytes / kBoxBytesPerCycle;
}

double conv::getTranspositionCycles(double bytes) {
  return bytes == 0
             ? 0
             : 2 * bytes / kTransposedBytesPerCycle + kCyclesPerPlainLaunch;
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
