//===- HopperSchedule.cpp - schedules with TMA and wgmma ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#include "HopperSchedule.h"
#include "Warpgroups.h"
#include "conv/Transforms/SharedTile.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using llvm::formatv;

/// Barriers of the ring, and what tiles lose by beginning at multiples of 1024
/// bytes.
static constexpr int64_t kOtherSharedBytes = 2048;

/// Shape rules of wgmma m64nNk16 and of tiles made of panels.
static std::string whyIllegalShape(ScheduleAttr schedule, int64_t bytes) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  if (warps[1] != 1 || warps[0] % kWarpsPerWarpgroup != 0 || warps[0] > 12)
    return formatv("wgmma wants 4, 8 or 12 by 1 warps, but the schedule has "
                   "{0} by {1}",
                   warps[0], warps[1]);
  if (tile[0] % (16 * warps[0]) != 0)
    return formatv("tile gemm-m ({0}) must be a multiple of 64 rows for each "
                   "of {1} warpgroups",
                   tile[0], warps[0] / kWarpsPerWarpgroup);
  if (tile[0] > 256)
    return formatv("tile gemm-m ({0}) must be at most the 256 rows of one box",
                   tile[0]);
  if (tile[1] % 16 != 0 || tile[1] > 256)
    return formatv("tile gemm-n ({0}) must be 16, 32, … 256", tile[1]);
  if (!PanelTile::isPossible(tile[2], bytes) ||
      tile[2] * bytes > PanelTile::kMaxSpanBytes)
    return formatv("tile gemm-k ({0}) must be 32, 64 or 128 bytes, but is {1}",
                   tile[2], tile[2] * bytes);
  return "";
}

int64_t conv::getHopperSharedBytes(ScheduleAttr schedule,
                                   int64_t elementBytes) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t result = tile[0] * tile[1] * elementBytes;
  return getRingBytes(schedule, elementBytes) + result + kOtherSharedBytes;
}

std::string conv::whyIllegalOnHopper(ScheduleAttr schedule,
                                     int64_t elementBytes,
                                     const ChipInfo &chip) {
  if (schedule.getMma() != MmaKind::Wgmma ||
      schedule.getCopy() != CopyKind::Tma)
    return "mma=wgmma goes with copy=tma, and mma=mma_sync with copy=cp_async";
  if (chip.name != "sm_90a")
    return formatv("TMA and wgmma are on sm_90a, not on {0}", chip.name);
  if (elementBytes != 2)
    return formatv("elements of {0} bytes have no wgmma kernel yet, only f16 "
                   "and bf16 have",
                   elementBytes);
  if (std::string why = whyIllegalShape(schedule, elementBytes); !why.empty())
    return why;
  ArrayRef<int64_t> tile = schedule.getTile();
  // 232 registers a thread of two warpgroups, 152 of three.
  int64_t limit = schedule.getWarps()[0] == 12 ? 96 : 192;
  int64_t registers = tile[0] * tile[1] / schedule.getThreads();
  if (registers > limit)
    return formatv("{0} accumulators a thread, but at most {1} leave room for "
                   "the rest; use more warps or a smaller tile",
                   registers, limit);
  if (schedule.getStages() < 2 || schedule.getStages() > 12)
    return formatv("stages must be 2 to 12, but is {0}", schedule.getStages());
  int64_t shared = getHopperSharedBytes(schedule, elementBytes);
  if (shared > chip.sharedPerBlock)
    return formatv("{0} bytes of shared memory, the result's tile among them, "
                   "but {1} has {2} for a workgroup",
                   shared, chip.name, chip.sharedPerBlock);
  return "";
}
