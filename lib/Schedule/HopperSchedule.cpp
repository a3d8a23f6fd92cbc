//===- HopperSchedule.cpp - schedules with TMA and wgmma ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#include "conv/Schedule/HopperSchedule.h"
#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/ChipLimits.h"
#include "conv/Schedule/Forms/GatherSchedule.h"
#include "conv/Schedule/Forms/ImageTapSchedule.h"
#include "conv/Schedule/Forms/Kn2rowSchedule.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Forms/WgradWindowShape.h"
#include "conv/Schedule/Forms/WgradWindows.h"
#include "conv/Schedule/Forms/Windows.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/ClusterShape.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Schedule/Shape/MmaShape.h"
#include "conv/Schedule/TileLegality.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using llvm::formatv;

/// Shape rules of wgmma and of tiles made of panels.
static std::string whyIllegalShape(ScheduleAttr schedule, int64_t bytes) {
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

std::string conv::whyNoWgmma(Algorithm algorithm) {
  return algorithm == Algorithm::ImplicitGemm
             ? ""
             : "explicit im2col has no kernel with TMA and wgmma yet";
}

std::string conv::whyNoWgmma(const GemmShape &gemm) {
  Type factor = gemm.factorType;
  if (factor.isF16() || factor.isBF16())
    return "";
  std::optional<MmaShape> shape = MmaShape::lookup(factor);
  if (!shape || shape->wordBytes != 4)
    return formatv("{0} has no wgmma", getTypeName(factor));
  if (gemm.isMnMajorA || gemm.isMnMajorB)
    return formatv("wgmma multiplies {0} only where neighbours in memory are "
                   "neighbours along gemm-k, {1}",
                   getTypeName(factor),
                   gemm.reducesRows
                       ? "and wgrad with groups, input dilation or flip has no "
                         "transposed copies"
                       : "not images with their channels first");
  return "";
}

static std::string whyIllegalStaging(ScheduleAttr schedule) {
  int64_t staging = schedule.getStaging();
  if (staging == 0 || swapsOperands(schedule))
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

/// Rules of clusters: workgroups that share a tile load rows of it in parts
/// that begin where the swizzle's pattern does. Rows are of gemm-m, gemm-n or
/// gemm-k, as the operation is.
static std::string whyIllegalCluster(ScheduleAttr schedule) {
  if (schedule.getClusterSize() == 1)
    return "";
  if (schedule.getWindow() && getClusterN(schedule) > 1)
    return "workgroups of a cluster share filters, but no window: with "
           "window=true a cluster is along gemm-m";
  if (schedule.getClusterSize() > kMaxClusterSize)
    return formatv("cluster {0}x{1} has {2} workgroups, but at most {3} are "
                   "possible",
                   getClusterM(schedule), getClusterN(schedule),
                   schedule.getClusterSize(), kMaxClusterSize);
  for (int64_t parts : {getClusterM(schedule), getClusterN(schedule)})
    for (int64_t rows : schedule.getTile()) {
      int64_t unit = parts * convmlir::SharedTile::kSwizzlePeriod;
      if (parts > 1 && rows % unit != 0)
        return formatv("cluster {0}x{1} loads tiles in {2} parts of a multiple "
                       "of {3} rows, but one has {4}",
                       getClusterM(schedule), getClusterN(schedule), parts,
                       convmlir::SharedTile::kSwizzlePeriod, rows);
    }
  return "";
}

static int64_t countBlocks(ScheduleAttr schedule, const GemmShape &gemm) {
  return gemm.getLongestPart(gemm.phases.front(), /*parts=*/1,
                             schedule.getTile()[2]);
}

bool conv::keepsRightOperand(ScheduleAttr schedule, const GemmShape &gemm) {
  return !schedule.getWindow() && !schedule.getGather() && !gemm.reducesRows &&
         !gemm.isKMajor && gemm.tapSums == 1 && gemm.groups == 1 &&
         gemm.phases.size() == 1 && keepsColumns(schedule, gemm) &&
         schedule.getSplit() == 1 && !hasTail(schedule) &&
         schedule.getClusterSize() == 1 &&
         countBlocks(schedule, gemm) <= schedule.getStages();
}

int64_t conv::getHopperSharedBytes(ScheduleAttr schedule,
                                   const GemmShape &gemm) {
  if (gemm.tapSums > 1)
    return getStagedBytes(schedule, gemm.resultBytes) + kBarrierBytes +
           getKn2rowRingBytes(schedule, gemm);
  if (!schedule.getWindow()) {
    auto boxes = getRawRowSlots(schedule, gemm);
    auto images = getImageSlots(schedule, gemm);
    int64_t blocksOfB = keepsRightOperand(schedule, gemm)
                            ? countBlocks(schedule, gemm)
                            : schedule.getStages();
    return getTileSharedBytes(schedule, gemm.elementBytes, gemm.resultBytes,
                              blocksOfB) +
           (boxes ? boxes->getBytes() : 0) + (images ? images->getBytes() : 0);
  }
  return getStagedBytes(schedule, gemm.resultBytes) + kBarrierBytes +
         getWindowRingBytes(schedule, gemm);
}

/// Of kernels whose operands TMA copies and whose warps multiply one by one:
/// those with an MN-major operand in a type that wgmma multiplies K-major only,
/// wgrads and images with their channels first. Tiles lie in panels, of which
/// `ldmatrix`, where the other operand is K-major, reads one.
static std::string whyIllegalBesideProducer(ScheduleAttr schedule,
                                            const GemmShape &gemm,
                                            const ChipInfo &chip) {
  std::optional<MmaShape> shape = MmaShape::lookup(gemm.factorType);
  bool isMnMajor = gemm.isMnMajorA || gemm.isMnMajorB;
  if (!isMnMajor || !shape || shape->hasLdMatrix(Major::MN))
    return formatv(
        "copy=tma goes with mma=mma_sync where an operand is "
        "MN-major (wgrad, images with their channels first) in a "
        "type that ldmatrix does not transpose; here {0}",
        isMnMajor ? formatv("it is of {0}", getTypeName(gemm.factorType)).str()
                  : "both operands are K-major");
  if (schedule.getClusterSize() > 1 || schedule.getTeams() > 1 ||
      schedule.getWindow() || schedule.getStaging() > 0 ||
      schedule.getGather() || schedule.getKMajor() || schedule.getKn2row())
    return "cluster, teams, window, staging, gather, k-major and kn2row are of "
           "kernels with copy=tma and mma=wgmma";
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  if (int64_t number = warps[0] * warps[1];
      number % kWarpsPerWarpgroup != 0 || number > 12)
    return formatv("beside a producer 4, 8 or 12 warps multiply, but the "
                   "schedule has {0} by {1}",
                   warps[0], warps[1]);
  if (std::string why = whyIllegalMmaSyncShape(schedule, gemm); !why.empty())
    return why;
  for (auto [mn, isMnMajor] :
       {std::pair(tile[0], gemm.isMnMajorA), {tile[1], gemm.isMnMajorB}}) {
    int64_t rowBytes = (isMnMajor ? mn : tile[2]) * gemm.elementBytes;
    if (rowBytes % PanelTile::kMinSpanBytes != 0)
      return formatv("TMA needs tiles with rows of a multiple of {0} bytes, "
                     "but they have {1}",
                     +PanelTile::kMinSpanBytes, rowBytes);
    if (!isMnMajor && rowBytes > PanelTile::kMaxSpanBytes)
      return formatv("a tile whose neighbours lie along gemm-k has rows of up "
                     "to {0} bytes here, but they have {1}",
                     +PanelTile::kMaxSpanBytes, rowBytes);
  }
  if (tile[2] % convmlir::SharedTile::kSwizzlePeriod != 0)
    return formatv("tile gemm-k ({0}) must be a multiple of {1} rows", tile[2],
                   +convmlir::SharedTile::kSwizzlePeriod);
  if (std::string why = whyTooManyParts(schedule, gemm); !why.empty())
    return why;
  if (std::string why = whyNoTail(schedule, gemm); !why.empty())
    return why;
  if (schedule.getStages() < 2 || schedule.getStages() > 12)
    return formatv("stages must be 2 to 12, but is {0}", schedule.getStages());
  int64_t shared = getRingBytes(schedule, gemm.elementBytes) + kBarrierBytes;
  return whyNotResident(schedule, shared, /*columns=*/0, chip,
                        shape->sum.getIntOrFloatBitWidth() / 32);
}

std::string conv::whyIllegalOnHopper(ScheduleAttr schedule,
                                     const GemmShape &gemm,
                                     const ChipInfo &chip) {
  int64_t elementBytes = gemm.elementBytes;
  if (schedule.getCopy() != CopyKind::Tma || schedule.getMma() == MmaKind::Fma)
    return "mma=wgmma goes with copy=tma, and mma=fma with copy=cp_async";
  if (std::string why = whyNoEngine(schedule, chip); !why.empty())
    return why;
  if (std::string why = whyNoWgmma(schedule.getAlgorithm()); !why.empty())
    return why;
  if (schedule.getMma() == MmaKind::MmaSync)
    return whyIllegalBesideProducer(schedule, gemm, chip);
  if (std::string why = whyNoWgmma(gemm); !why.empty())
    return why;
  if (std::string why = whyIllegalCluster(schedule); !why.empty())
    return why;
  if (schedule.getGather())
    if (std::string why = whyNoGather(schedule, gemm); !why.empty())
      return why;
  if (schedule.getKn2row())
    if (std::string why = whyIllegalKn2row(schedule, gemm); !why.empty())
      return why;
  if (schedule.getClusterSize() > 1 && !schedule.getKn2row() &&
      (gemm.isChannelsFirst || gemm.isKMajor))
    return "images with their channels first have no kernel with clusters yet";
  if (readsImageTaps(schedule))
    return whyIllegalImageTaps(schedule, gemm, chip);
  if (hasWgradWindow(schedule, gemm))
    return whyIllegalWgradWindow(schedule, gemm, chip);
  if (std::string why = swapsOperands(schedule)
                            ? whyIllegalSwapped(schedule, gemm)
                            : whyIllegalShape(schedule, elementBytes);
      !why.empty())
    return why;
  if (schedule.getWindow())
    if (std::string why = whyNoWindow(schedule, gemm); !why.empty())
      return why;
  if (std::string why = whyTooManyParts(schedule, gemm); !why.empty())
    return why;
  if (std::string why = whyNoTail(schedule, gemm); !why.empty())
    return why;
  if (schedule.getStages() < 2 ||
      (schedule.getStages() > 12 && !hasResidentFilter(schedule, gemm)))
    return formatv("stages must be 2 to 12, but is {0}", schedule.getStages());
  if (std::string why = whyIllegalStaging(schedule); !why.empty())
    return why;
  return whyNotResident(schedule, getHopperSharedBytes(schedule, gemm),
                        getInstructionColumns(schedule, gemm), chip,
                        gemm.tapSums * getRegistersPerSum(gemm));
}
