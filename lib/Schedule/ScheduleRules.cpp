//===- ScheduleRules.cpp - which schedules can compute an operation -------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/ScheduleRules.h"
#include "conv/Schedule/Forms/DepthwiseSchedule.h"
#include "conv/Schedule/Forms/KMajorWgrad.h"
#include "conv/Schedule/Forms/Kn2rowSchedule.h"
#include "conv/Schedule/Forms/TailSchedule.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

std::string ScheduleRules::whyNoCopy(ScheduleAttr schedule) {
  return schedule.getCopy() == CopyKind::Tma ? forms.whyNoTma(schedule) : "";
}

/// Each tile is multiplied by a workgroup of its own.
static std::string whyTooManyTiles(ScheduleAttr schedule,
                                   const GemmShape &gemm) {
  if (schedule.getCopy() == CopyKind::Tma)
    return ""; // Workgroups take many tiles.
  constexpr uint64_t most = std::numeric_limits<int32_t>::max();
  ArrayRef<int64_t> tile = schedule.getTile();
  uint64_t tiles = llvm::SaturatingMultiply<uint64_t>(
      countTiles(schedule, gemm), schedule.getSplit());
  if (tiles <= most)
    return "";
  return formatv("{0} tiles of {1}x{2}, but a grid has at most {3} workgroups",
                 tiles, tile[0], tile[1], most);
}

/// What stands in the way but the engine that copies.
std::string ScheduleRules::whyNoKernel(ScheduleAttr schedule) {
  if (schedule.getAlgorithm() == Algorithm::Loops)
    return whyIllegalDepthwise(op, schedule, chip);
  if (op.getGroups() % schedule.getMerge() != 0)
    return formatv("merge ({0}) must divide the {1} groups",
                   schedule.getMerge(), op.getGroups());
  if (!schedule.getFold().empty())
    if (auto folded = getFoldedGeometry(op, schedule.getFold()); !folded)
      return folded.error();
  if (schedule.getKMajor())
    if (std::string why =
            whyNoKMajor(op, schedule.getMerge(), schedule.getFold());
        !why.empty())
      return why;
  if (schedule.getKn2row())
    if (std::string why = whyNoKn2row(op); !why.empty())
      return why;
  const GemmShape &gemm = forms.getGemmShape(schedule);
  std::string why = whyIllegal(schedule, gemm, chip);
  return why.empty() ? whyTooManyTiles(schedule, gemm) : why;
}

std::string ScheduleRules::whyCannotRun(ScheduleAttr schedule) {
  std::string why = whyNoKernel(schedule);
  return why.empty() ? whyNoCopy(schedule) : why;
}

bool ScheduleRules::lacksCopy(ScheduleAttr schedule) {
  return whyNoKernel(schedule).empty() && !whyNoCopy(schedule).empty();
}

std::string conv::whyCannotRun(ConvOpInterface op, ScheduleAttr schedule,
                               const ChipInfo &chip) {
  return ScheduleRules(op, chip).whyCannotRun(schedule);
}
