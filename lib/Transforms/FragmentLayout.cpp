//===- FragmentLayout.cpp - who holds which part of a tile ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentLayout.h"

#include "Warpgroups.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

FragmentLayout::FragmentLayout(ScheduleAttr schedule, int64_t tapColumns)
    : tileM(schedule.getTile()[0]), tileN(schedule.getTile()[1]),
      tapColumns(tapColumns ? tapColumns : tileN),
      warpsN(schedule.getWarps()[1]), warpM(tileM / schedule.getWarps()[0]),
      warpN(tileN / warpsN), blockDistanceM(schedule.getMma() == MmaKind::Wgmma
                                                ? kWarpsPerWarpgroup * kBlockM
                                                : kBlockM) {}

std::string FragmentLayout::checkSchedule(ScheduleAttr schedule) {
  static constexpr int64_t blocks[] = {kBlockM, kBlockN};
  static constexpr const char *names[] = {"gemm-m", "gemm-n"};
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

FragmentLayout::Origin FragmentLayout::getOrigin(IndexMath &math,
                                                 Value thread) const {
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
