//===- WgradWindowModel.cpp - time of wgrad with windows ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Model/WgradWindowModel.h"

#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Model/GatherModel.h"
#include "conv/Schedule/Model/Rates.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::h200;

static constexpr int64_t kRows = kWgradWindowRows;

/// What rows of less than 128 bytes of dy, K-major, take longer.
static double getNarrowRowCycles(int64_t positions, int64_t elementBytes) {
  convmlir::PanelTile tile(kRows, positions, elementBytes);
  double rows = double(kRows) * tile.getNumPanels();
  return std::max(0.0, rows * kCyclesPerPanelRow -
                           tile.getBytes() / kCopyBytesPerCycle);
}

/// Of a tile whose result is stored at once, and of each of its lines, which
/// are of one filter and tap. Those of parts do not take it.
static double getStoredLinesCycles(int64_t taps) {
  return kCyclesPerLinesTile + kCyclesPerStoredLine * kRows * taps;
}

/// What rows take longer that are partly outside of dy: of filters whose number
/// is no multiple of a tile's. One tile of them has such rows.
static double getClippedRowCycles(int64_t filters, int64_t positions) {
  return filters % kRows == 0 ? 0
                              : kCyclesPerClippedRow * positions /
                                    llvm::divideCeil(filters, kRows);
}

/// Of lines that threads gather.
static double getGatheredLinesCycles(const WgradWindow &window,
                                     ScheduleAttr schedule,
                                     const GemmShape &gemm) {
  int64_t dy = gathersA(schedule, gemm) ? schedule.getTile()[2] * kRows : 0;
  int64_t x = gathersB(schedule, gemm)
                  ? window.block.getWindowLines() * window.line
                  : 0;
  return getGatherCycles(schedule, gemm, double(dy + x) * gemm.elementBytes,
                         /*readBytes=*/0);
}

int64_t conv::getBoxSlots(const WgradWindow &window, ScheduleAttr schedule,
                          const GemmShape &gemm) {
  return window.countBoxes() == 0
             ? 0
             : getBoxSlots(schedule, window.countBoxes(), window.getRawBytes(),
                           window.getSlotBytes(gemm.elementBytes));
}

/// With two slots, boxes are transposed when the products of a block are over,
/// and those of the next one wait for them (measured).
static double getBlockCycles(const WgradWindow &window, ScheduleAttr schedule,
                             const GemmShape &gemm, double products,
                             double copies, TimeParts *parts) {
  note(parts, TimePart::Products, products);
  note(parts, TimePart::Copies, copies);
  if (window.getRawBytes() == 0) {
    // A slot is loaded again when its products have been made.
    double slot = (kSlotCycles + copies) / (schedule.getStages() - kHeldSlots);
    return std::max({products, copies,
                     note(parts, TimePart::Gathers,
                          getGatheredLinesCycles(window, schedule, gemm)),
                     note(parts, TimePart::Latency, slot)});
  }
  double boxes = note(
      parts, TimePart::Gathers,
      getBoxCycles(window.getRawBytes(), getBoxSlots(window, schedule, gemm)));
  return schedule.getStages() < 3 ? products + std::max(boxes, copies)
                                  : std::max({products, copies, boxes});
}

double conv::getWgradWindowCycles(ScheduleAttr schedule, const GemmShape &gemm,
                                  const ChipInfo &chip, TimeParts *parts) {
  WgradWindow window = *getWgradWindow(schedule, gemm);
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t split = schedule.getSplit();
  double products = 0;
  for (TapRun run : window.runs) {
    int64_t columns = run.number * window.line;
    products += std::max(columns / 2.0, (kRows + columns) / kLinesPerCycle);
  }
  products *= schedule.getWarps()[1] * tile[2] / 16.0;
  double copies = window.getCopiedBytes(gemm.elementBytes) / kCopyBytesPerCycle;
  if (gemm.wgrad.isKMajor)
    copies += getNarrowRowCycles(window.dyPositions, gemm.elementBytes);
  else
    copies += getClippedRowCycles(gemm.phases.front().m, tile[2]);
  double resultBytes = split > 1 ? kPartBytes : gemm.epilogue.resultBytes;
  double block =
      getBlockCycles(window, schedule, gemm, products, copies, parts) +
      kPowerOfCopies * copies;
  double end = getStoreCycles(schedule, resultBytes);
  if (split == 1)
    end += getStoredLinesCycles(tile[1] / window.line);
  double kernel = getTileCycles(schedule, gemm, chip, window.getBlocks(), block,
                                end, getStoreCycles(schedule, kPartBytes));
  if (parts) {
    double mine = llvm::divideCeil(window.getBlocks(), split);
    parts->spread(mine, end, mine * block + end, kernel);
  }
  double time = note(parts, TimePart::Launch, kCyclesPerTapsLaunch) + kernel;
  // Two slots leave the products of one to hide all of a load.
  if (schedule.getStages() < 3) {
    time *= kTwoSlotsFactor;
    if (parts)
      parts->scale(kTwoSlotsFactor);
  }
  if (split > 1)
    time += note(parts, TimePart::Sums,
                 getSumCycles(double(gemm.getResults()) * split, chip));
  return time +
         note(parts, TimePart::Sums, getTailSumCycles(schedule, gemm, chip));
}
