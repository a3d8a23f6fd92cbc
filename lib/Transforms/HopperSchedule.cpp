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
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Transforms/SharedTile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace mlir;
using namespace mlir::conv;
using convmlir::MatrixView;
using convmlir::PanelTile;
using llvm::formatv;

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
  if (schedule.getSplit() != 1)
    return "split-k has no kernel with TMA and wgmma yet";
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

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//
//
// Cycles of the multiprocessor with the most tiles. A block of gemm-k takes as
// long as the slower of its products and its copies. Products: a 64xN block of
// 16 along gemm-k takes N / 2 cycles of the tensor cores, and reads (64 + N)
// rows of 32 bytes from shared memory at 128 bytes a cycle. Copies come from
// the L2 cache. The result's tile is stored while nothing is multiplied.

static constexpr double kCopyBytesPerCycle = 56, kStoreBytesPerCycle = 24;
/// Of a tile whatever its size: barriers, the first products, the loop's ends.
static constexpr double kCyclesPerTile = 600;

static double getModelledCycles(ScheduleAttr schedule, const GemmShape &gemm,
                                const ChipInfo &chip) {
  ArrayRef<int64_t> tile = schedule.getTile();
  double steps = tile[2] * gemm.elementBytes / 32.0;
  double products = double(tile[0]) / 64 * steps *
                    std::max(tile[1] / 2.0, (64 + tile[1]) / 4.0);
  double copies =
      (tile[0] + tile[1]) * tile[2] * gemm.elementBytes / kCopyBytesPerCycle;
  GemmShape::Phase phase = gemm.phases.front();
  double blocks = double(phase.taps) * llvm::divideCeil(gemm.channels, tile[2]);
  double store = tile[0] * tile[1] * gemm.elementBytes / kStoreBytesPerCycle;
  int64_t tiles = llvm::divideCeil(phase.m, tile[0]) *
                  llvm::divideCeil(gemm.n, tile[1]) * gemm.groups;
  double perTile = blocks * std::max(products, copies) + store + kCyclesPerTile;
  // A ring that holds few blocks runs dry at the end of each tile.
  if (schedule.getStages() < 4)
    perTile *= 1.04;
  return llvm::divideCeil(tiles, chip.multiprocessors) * perTile;
}

/// Tiles of one, two and three warpgroups; a thread holds at most 192
/// accumulators.
static constexpr std::array<int64_t, 3> candidates[] = {
    {256, 128, 8}, {128, 256, 8}, {256, 192, 8}, {128, 192, 8}, {128, 128, 8},
    {256, 64, 8},  {128, 64, 8},  {64, 256, 4},  {64, 128, 4},  {64, 64, 4},
    {128, 32, 8},  {64, 32, 4},   {128, 16, 8},
};

/// Whole lines of 128 bytes, or as many bytes as few channels fill.
static int64_t chooseBlockK(const GemmShape &gemm) {
  int64_t bytes = PanelTile::kMaxSpanBytes;
  while (bytes > PanelTile::kMinSpanBytes &&
         gemm.channels * gemm.elementBytes <= bytes / 2)
    bytes /= 2;
  return bytes / gemm.elementBytes;
}

ScheduleAttr conv::chooseHopperSchedule(MLIRContext *context,
                                        const GemmShape &gemm,
                                        const ChipInfo &chip) {
  constexpr int64_t maxStages = 7;
  ScheduleAttr best;
  double bestCycles = 0;
  int64_t blockK = chooseBlockK(gemm);
  for (auto [m, n, warps] : candidates)
    for (int64_t stages = maxStages; stages >= 2; --stages) {
      auto schedule =
          ScheduleAttr::get(context, Algorithm::ImplicitGemm, {m, n, blockK},
                            {warps, 1}, stages, CopyKind::Tma, MmaKind::Wgmma,
                            /*split=*/1);
      if (!whyIllegalOnHopper(schedule, gemm.elementBytes, chip).empty())
        continue;
      double cycles = getModelledCycles(schedule, gemm, chip);
      if (!best || cycles < bestCycles) {
        best = schedule;
        bestCycles = cycles;
      }
      break; // Fewer stages are never better.
    }
  return best;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Rows of one taps and channels after another, as explicit im2col has them.
static MatrixView getFlatView(const MatrixView &view) {
  MatrixView flat;
  flat.spatialRank = 1;
  flat.extent[0] = flat.rows[0] = view.numRows();
  flat.channels = view.numTaps() * view.channels;
  return flat;
}

std::string conv::whyNoTma(ConvOpInterface op, ScheduleAttr schedule) {
  if (op.getConvKind() != convmlir::ConvKind::Forward)
    return formatv("conv.{0} has no kernel with TMA and wgmma yet",
                   convmlir::toString(op.getConvKind()));
  convmlir::ConvGeometry geometry = *op.getGeometry();
  if (geometry.groups != 1)
    return "groups have no kernel with TMA and wgmma yet";
  int64_t bytes = op.getSourceElementType().getIntOrFloatBitWidth() / 8;
  ArrayRef<int64_t> tile = schedule.getTile();
  MatrixView x = geometry.inputView(), w = geometry.filterView();
  if (schedule.getAlgorithm() == Algorithm::Im2col) {
    x = getFlatView(x);
    w = getFlatView(w);
  }
  std::string why = convmlir::whyNoTensorMap(x, 1, bytes, tile[0], tile[2]);
  if (why.empty())
    why = convmlir::whyNoTensorMap(w, 1, bytes, tile[1], tile[2]);
  return why;
}
