//===- FragmentLayout.cpp - who holds which part of a tile ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentLayout.h"

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/Shape/WmmaShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

FragmentLayout::FragmentLayout(ScheduleAttr schedule, int64_t tapColumns,
                               PositionRows rows)
    : tileM(schedule.getTile()[0]), tileN(schedule.getTile()[1]),
      tapColumns(tapColumns ? tapColumns : tileN),
      warpsN(schedule.getWarps()[1]), warpM(tileM / schedule.getWarps()[0]),
      warpN(tileN / warpsN), swapped(swapsOperands(schedule)), rows(rows),
      blockDistanceM(schedule.getMma() == MmaKind::Wgmma
                         ? kWarpsPerWarpgroup * kBlockM
                         : kBlockM) {}

static std::string checkSwapped(ScheduleAttr schedule) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  if (tile[0] % warps[0] == 0 &&
      tile[1] % (FragmentLayout::kBlockM * warps[1]) == 0)
    return "";
  return llvm::formatv("the tile of wgmma with swapped operands must be a "
                       "multiple of {0} positions by {1} filters, but is {2} "
                       "by {3}",
                       warps[0], FragmentLayout::kBlockM * warps[1], tile[0],
                       tile[1]);
}

/// A thread holds its sums in registers.
static std::string checkSums(ScheduleAttr schedule) {
  constexpr int64_t registers = convmlir::kMostThreadRegisters;
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t sums = tile[0] * tile[1] / schedule.getThreads();
  if (sums <= registers)
    return "";
  return llvm::formatv("a tile of {0}x{1} is {2} sums a thread, which has {3} "
                       "registers",
                       tile[0], tile[1], sums, registers);
}

std::string FragmentLayout::checkSchedule(ScheduleAttr schedule) {
  if (std::string why = checkSums(schedule); !why.empty())
    return why;
  bool isWmma = schedule.getMma() == MmaKind::Wmma;
  const int64_t blocks[] = {kBlockM, isWmma ? WmmaShape::kBlock : kBlockN};
  static constexpr const char *names[] = {"gemm-m", "gemm-n"};
  if (swapsOperands(schedule))
    return checkSwapped(schedule);
  for (int i = 0; i < 2; ++i) {
    int64_t tile = schedule.getTile()[i], warps = schedule.getWarps()[i];
    if (tile % (warps * blocks[i]) != 0)
      return llvm::formatv("the tile's {0} ({1}) must be a multiple of {2} "
                           "({3} warps times {4} of the matrix instruction)",
                           names[i], tile, warps * blocks[i], warps, blocks[i]);
  }
  if (schedule.getMma() == MmaKind::Wgmma &&
      (schedule.getWarps()[0] % kWarpsPerWarpgroup != 0 ||
       (schedule.getWarps()[1] != 1 && !schedule.getWindow())))
    return llvm::formatv(
        "wgmma wants whole warpgroups along gemm-m, 4, 8 or 12 "
        "by 1 warps, but the schedule has {0} by {1}",
        schedule.getWarps()[0], schedule.getWarps()[1]);
  return {};
}

Value FragmentLayout::getWarpRow(IndexMath &math, Value thread) const {
  Value warp = math.div(thread, kWarpSize);
  if (!usesWarpgroups())
    return math.mul(math.div(warp, warpsN), warpM);
  Value warpgroup = math.div(math.div(warp, kWarpsPerWarpgroup), warpsN);
  return math.add(math.mul(warpgroup, getWarpgroupM()),
                  math.mul(math.rem(warp, kWarpsPerWarpgroup), kBlockM));
}

Value FragmentLayout::getWarpColumn(IndexMath &math, Value thread) const {
  if (warpsN == 1)
    return math.constant(0);
  Value warp = math.div(thread, kWarpSize);
  if (usesWarpgroups())
    warp = math.div(warp, kWarpsPerWarpgroup);
  return math.mul(math.rem(warp, warpsN), warpN);
}

int64_t FragmentLayout::getLines() const {
  int64_t read = rows.width == 0
                     ? warpM
                     : (warpM / rows.width - 1) * rows.pitch + rows.width;
  return llvm::alignTo(read, kBlockN);
}

int64_t FragmentLayout::getLineDistance() const {
  return rows.width == 0 ? warpM : warpM / rows.width * rows.pitch;
}

FragmentLayout::Position FragmentLayout::getPosition(IndexMath &math,
                                                     Value line) const {
  if (getLines() == warpM)
    return {line, Value()};
  if (rows.width == 0)
    return {line, math.isBelow(line, warpM)};
  Value column = math.rem(line, rows.pitch);
  Value position =
      math.add(math.mul(math.div(line, rows.pitch), rows.width), column);
  return {position, math.both(math.isBelow(column, rows.width),
                              math.isBelow(position, warpM))};
}

/// The column of the first element that a thread holds, and the first row of
/// its warpgroup: what a thread holds are other rows (getPosition()).
FragmentLayout::Origin FragmentLayout::getSwappedOrigin(IndexMath &math,
                                                        Value thread) const {
  Value warpgroup = math.div(thread, kWarpgroupSize);
  Value warp = math.rem(math.div(thread, kWarpSize), kWarpsPerWarpgroup);
  Value row = math.mul(math.div(warpgroup, getWarpgroupsN()), warpM);
  Value column =
      math.mul(math.rem(warpgroup, getWarpgroupsN()), getWarpgroupN());
  column = math.add(column, math.mul(warp, kBlockM));
  Value inBlock = math.div(math.rem(thread, kWarpSize), kBlockN / kHeldN);
  return {row, math.add(column, inBlock), math.constant(0)};
}

FragmentLayout::Origin FragmentLayout::getOrigin(IndexMath &math,
                                                 Value thread) const {
  if (isSwapped())
    return getSwappedOrigin(math, thread);
  static constexpr int64_t lanesPerRow = kBlockN / kHeldN;
  Value lane = math.rem(thread, kWarpSize);
  Value row = math.div(lane, lanesPerRow);
  Value column = math.mul(math.rem(lane, lanesPerRow), kHeldN);
  row = math.add(getWarpRow(math, thread), row);
  Value first = getWarpColumn(math, thread);
  if (hasTaps())
    return {row, column, math.div(first, tapColumns)};
  return {row, math.add(first, column), math.constant(0)};
}

Value FragmentLayout::getWarpStart(IndexMath &math, Value thread,
                                   Operand operand) const {
  return operand == Operand::A ? getWarpRow(math, thread)
                               : getWarpColumn(math, thread);
}

/// Lanes of a block's row, or column.
static constexpr int64_t kLanesPerRow = 4;

FragmentLayout::Lane FragmentLayout::getLane(IndexMath &math, Value thread,
                                             Operand operand) const {
  Value lane = math.rem(thread, kWarpSize);
  return {math.add(getWarpStart(math, thread, operand),
                   math.div(lane, kLanesPerRow)),
          math.rem(lane, kLanesPerRow)};
}

Value FragmentLayout::getFactorRow(IndexMath &math, Value thread,
                                   Operand operand) const {
  Value lane = math.rem(thread, kWarpSize);
  Value inBlock = operand == Operand::A
                      ? math.div(lane, kLanesPerRow)
                      : math.mul(math.rem(lane, kLanesPerRow), kHeldN);
  return math.add(getWarpStart(math, thread, operand), inBlock);
}

/// Lanes 8i to 8i+7 point at the rows of matrix i. The matrix instruction wants
/// for A (m, k), (m+8, k), (m, k+8), (m+8, k+8) and for two blocks of B (n, k),
/// (n, k+8), (n+8, k), (n+8, k+8), each with its rows along m or n: those of an
/// MN-major tile are read transposed.
FragmentLayout::OperandOrigin
FragmentLayout::getOperandOrigin(IndexMath &math, Value thread, Operand operand,
                                 Major major) const {
  Value lane = math.rem(thread, kWarpSize);
  Value matrix = math.div(lane, kMatrix);
  Value even = math.rem(matrix, 2), upper = math.div(matrix, 2);
  Value inMN = operand == Operand::A ? even : upper;
  Value inK = operand == Operand::A ? upper : even;
  Value warp = getWarpStart(math, thread, operand);
  Value row = math.rem(lane, kMatrix);
  if (major == Major::K) {
    row = math.add(row, math.mul(inMN, kMatrix));
    return {math.add(row, warp), inK};
  }
  row = math.add(row, math.mul(inK, kMatrix));
  return {row, math.add(math.div(warp, kMatrix), inMN)};
}
