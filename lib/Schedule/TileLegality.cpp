//===- TileLegality.cpp - limits of tiles and parts -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/TileLegality.h"

#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Schedule/ChipLimits.h"
#include "conv/Schedule/Forms/TailSchedule.h"
#include "conv/Schedule/Shape/WmmaShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Shape rules of ldmatrix and mma.sync, which fma shares: a warp works on 16
/// rows and pairs of 8 columns; a row of a shared tile is 32, 64 or 128 bytes.
static std::string whyIllegalShape(ScheduleAttr schedule, int64_t bytes) {
  ArrayRef<int64_t> tile = schedule.getTile(), warps = schedule.getWarps();
  if (tile[0] % (16 * warps[0]) != 0)
    return formatv("tile gemm-m ({0}) must be a multiple of 16 rows for each "
                   "of {1} warps",
                   tile[0], warps[0]);
  if (tile[1] % (16 * warps[1]) != 0)
    return formatv("tile gemm-n ({0}) must be a multiple of 16 columns for "
                   "each of {1} warps",
                   tile[1], warps[1]);
  int64_t row = tile[2] * bytes;
  if (row != 32 && row != 64 && row != 128)
    return formatv("tile gemm-k ({0}) must be 32, 64 or 128 bytes, but is {1}",
                   tile[2], row);
  return "";
}

/// The registers of a thread's sums leave room for those of the operands.
static std::string whyTooManySums(ScheduleAttr schedule, Type factor) {
  int64_t sums =
      schedule.getTile()[0] * schedule.getTile()[1] / schedule.getThreads();
  bool isWide = schedule.getMma() == MmaKind::Fma || factor.isF64();
  int64_t most = isWide ? 64 : 128;
  if (sums <= most)
    return "";
  return formatv("{0} accumulators a thread, but at most {1} leave room for "
                 "the rest; use more warps or a smaller tile",
                 sums, most);
}

std::string conv::whyIllegalMmaSyncShape(ScheduleAttr schedule,
                                         const GemmShape &gemm) {
  std::string why = whyIllegalShape(schedule, gemm.elementBytes);
  return why.empty() ? whyTooManySums(schedule, gemm.factorType) : why;
}

std::string conv::whyTooManyParts(ScheduleAttr schedule,
                                  const GemmShape &gemm) {
  int64_t blockK = schedule.getTile()[2];
  bool isTail = hasNumberedTail(schedule);
  int64_t parts =
      isTail ? getMostPartsOfTail(schedule, gemm) : gemm.getMostParts(blockK);
  int64_t wanted = isTail ? schedule.getTail() : schedule.getSplit();
  StringRef key = isTail ? "tail" : "split-k";
  if (wanted <= parts)
    return "";
  int64_t blocks =
      std::max<int64_t>(llvm::divideCeil(gemm.channels, blockK), 1);
  if (gemm.hasImages())
    return formatv("{0} is {1}, but gemm-k has {2} images of {3} blocks of {4}",
                   key, wanted, gemm.phases.front().taps, blocks, blockK);
  if (parts > blocks)
    return formatv("{0} is {1}, but gemm-k has {2} taps, and blocks of {3} no "
                   "more",
                   key, wanted, parts, blockK);
  return formatv("{0} is {1}, but gemm-k has {2} blocks of {3}", key, wanted,
                 parts, blockK);
}

int64_t conv::getTileBytes(ScheduleAttr schedule, const GemmShape &gemm) {
  return std::max(getRingBytes(schedule, gemm.elementBytes),
                  getWmmaSumBytes(schedule));
}

std::string conv::whyIllegalTile(ScheduleAttr schedule, const GemmShape &gemm,
                                 const ChipInfo &chip) {
  if (std::string why = whyTooManyThreads(schedule); !why.empty())
    return why;
  if (std::string why = whyIllegalMmaSyncShape(schedule, gemm); !why.empty())
    return why;
  if (schedule.getStages() < 2 || schedule.getStages() > 8)
    return formatv("stages must be 2 to 8, but is {0}", schedule.getStages());
  int64_t shared = getTileBytes(schedule, gemm);
  if (shared > chip.sharedPerBlock)
    return formatv("{0} bytes of shared memory, but {1} has {2} for a "
                   "workgroup",
                   shared, chip.name, chip.sharedPerBlock);
  return "";
}
