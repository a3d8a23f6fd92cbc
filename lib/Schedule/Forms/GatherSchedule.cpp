//===- GatherSchedule.cpp - schedules that transpose tiles ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#include "conv/Schedule/Forms/GatherSchedule.h"

#include "conv/Schedule/Forms/WgradWindowShape.h"
#include "conv/Schedule/Shape/Transpositions.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

bool conv::gathersA(ScheduleAttr schedule, const GemmShape &gemm) {
  if (!schedule.getGather() || !gemm.a.isTransposed)
    return false;
  bool isWgradWindow =
      schedule.getWindow() && gemm.wgrad.reducesRows && gemm.views.window;
  return !isWgradWindow || !gemm.b.isTransposed ||
         !transposesDyApart(schedule, gemm);
}

bool conv::gathersB(ScheduleAttr schedule, const GemmShape &gemm) {
  return schedule.getGather() && gemm.b.isTransposed;
}

bool conv::copiesPieces(ScheduleAttr schedule, const GemmShape &gemm) {
  return schedule.getGather() && !schedule.getKMajor() &&
         gemm.gathered.neighbours > 1;
}

std::optional<RawRowSlots> conv::getRawRowSlots(ScheduleAttr schedule,
                                                const GemmShape &gemm) {
  if (schedule.getWindow() || gemm.wgrad.reducesRows ||
      !gathersA(schedule, gemm))
    return std::nullopt;
  int64_t positions = countWindowPositions(gemm);
  return positions > 0 ? getRawRowSlots(schedule, positions, gemm.channels)
                       : std::nullopt;
}

convmlir::Result<ImageSlots> conv::getImageSlots(ScheduleAttr schedule,
                                                 const GemmShape &gemm) {
  if (gemm.wgrad.reducesRows || !gathersA(schedule, gemm))
    return convmlir::Error{"no operand is gathered"};
  return getImageSlots(schedule, countWindowPositions(gemm), gemm.channels);
}

/// Channels of the operands that are gathered: they fill whole chunks.
static SmallVector<int64_t> getGatheredChannels(ScheduleAttr schedule,
                                                const GemmShape &gemm) {
  SmallVector<int64_t> channels;
  if (gathersA(schedule, gemm))
    channels.push_back(gemm.wgrad.reducesRows ? gemm.phases.front().m
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
