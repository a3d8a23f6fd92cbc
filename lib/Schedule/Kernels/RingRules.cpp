//===- RingRules.cpp - kernels whose warpgroups share a ring --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingRules.h"

#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Forms/Windows.h"
#include "conv/Schedule/HopperSchedule.h"
#include "conv/Schedule/KeptOperands.h"
#include "conv/Schedule/Model/HopperModel.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/TileLegality.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using llvm::formatv;

/// Shape rules of wgmma and of tiles made of panels.
std::string RingRules::whyIllegalShape(ScheduleAttr schedule,
                                       const GemmShape &gemm) const {
  int64_t bytes = gemm.elementBytes;
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  if (warps[1] != 1 || warps[0] % kWarpsPerWarpgroup != 0 || warps[0] > 12)
    return formatv("wgmma wants 4, 8 or 12 by 1 warps, or, with filters as "
                   "its rows, 1 by 4, 8 or 12, 2 by 4 or 3 by 4, but the "
                   "schedule has {0} by {1}",
                   warps[0], warps[1]);
  if (tile[0] % (16 * warps[0]) != 0)
    return formatv("tile gemm-m ({0}) must be a multiple of 64 rows for each "
                   "of {1} warpgroups",
                   tile[0], warps[0] / kWarpsPerWarpgroup);
  if (schedule.getTeams() > 2 || (schedule.getTeams() > 1 && warps[0] != 4))
    return formatv(
        "one team of 4, 8 or 12 warps, or two of 4, take the tiles in "
        "turn, but the schedule has {0} teams of {1}",
        schedule.getTeams(), warps[0]);
  if (tile[0] > convmlir::kMaxBoxExtent)
    return formatv("tile gemm-m ({0}) must be at most the {1} rows of one box",
                   tile[0], convmlir::kMaxBoxExtent);
  if (tile[1] % 16 != 0 || tile[1] > 256)
    return formatv("tile gemm-n ({0}) must be 16, 32, … 256", tile[1]);
  if (int64_t most = 2 * PanelTile::kMaxSpanBytes;
      !PanelTile::isPossible(tile[2], bytes) || tile[2] * bytes > most)
    return formatv("tile gemm-k ({0}) must be a multiple of {1} bytes up to "
                   "{2}, but is {3}",
                   tile[2], +PanelTile::kMinSpanBytes, most, tile[2] * bytes);
  return "";
}

std::string RingRules::whyIllegalStaging(ScheduleAttr schedule) const {
  int64_t staging = schedule.getStaging();
  if (staging == 0)
    return "";
  if (staging < 0 ||
      getWarpgroupRows(schedule) % getStagedRows(schedule) != 0 ||
      (staging > kRowsOfWgmma ? staging % kRowsOfWgmma != 0
                              : kRowsOfWgmma % staging != 0))
    return formatv(
        "staging ({0}) must be a multiple or a part of {1} rows that "
        "divides the {2} of a warpgroup",
        staging, kRowsOfWgmma, getWarpgroupRows(schedule));
  constexpr int64_t unit = 64;
  int64_t columns = getStagedColumns(schedule);
  if (staging < kRowsOfWgmma && (columns == 0 || columns % unit != 0))
    return formatv("staging ({0}) takes {0}/{1} of a tile's columns at a time, "
                   "which must be a multiple of {2}, but the tile has {3}",
                   staging, kRowsOfWgmma, unit, schedule.getTile()[1]);
  return "";
}

std::string RingRules::whyIllegal(ScheduleAttr schedule, const GemmShape &gemm,
                                  const ChipInfo &chip) const {
  if (std::string why = whyIllegalShape(schedule, gemm); !why.empty())
    return why;
  if (std::string why = whyTooManyParts(schedule, gemm); !why.empty())
    return why;
  if (std::string why = whyNoTail(schedule, gemm); !why.empty())
    return why;
  bool hasSlotsOfFilter = schedule.getWindow() &&
                          getKeptOperand(schedule, gemm) == KeptOperand::Right;
  if (schedule.getStages() < 2 ||
      (schedule.getStages() > 12 && !hasSlotsOfFilter))
    return formatv("stages must be 2 to 12, but is {0}", schedule.getStages());
  if (std::string why = whyIllegalStaging(schedule); !why.empty())
    return why;
  return whyNotResident(schedule, getSharedBytes(schedule, gemm),
                        getInstructionColumns(schedule, gemm), chip,
                        gemm.kn2row.tapSums * getRegistersPerSum(gemm));
}

int64_t RingRules::getSharedBytes(ScheduleAttr schedule,
                                  const GemmShape &gemm) const {
  auto boxes = getRawRowSlots(schedule, gemm);
  auto images = getImageSlots(schedule, gemm);
  int64_t blocksOfB = getKeptOperand(schedule, gemm) == KeptOperand::Right
                          ? countBlocks(schedule, gemm)
                          : schedule.getStages();
  return getTileSharedBytes(schedule, gemm.elementBytes,
                            gemm.epilogue.resultBytes, blocksOfB) +
         (boxes ? boxes->getBytes() : 0) + (images ? images->getBytes() : 0);
}

double RingRules::getTime(ScheduleAttr schedule, const GemmShape &gemm,
                          const ChipInfo &chip, TimeParts *parts) const {
  return getModelledCycles(schedule, gemm, chip, parts);
}
