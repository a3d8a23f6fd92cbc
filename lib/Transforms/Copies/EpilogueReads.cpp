//===- EpilogueReads.cpp - tiles that the epilogue reads ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueReads.h"

#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;
using llvm::formatv;

/// Pieces of a row that are no wider can as well be loaded where they are used.
static constexpr int64_t kLeastStagedBytes = 8;

SmallVector<Im2colOp> conv::getEpilogueReads(gpu::GPUFuncOp func) {
  SmallVector<Im2colOp> reads;
  func.walk([&](Im2colOp op) {
    if (op->getNumResults() == 1)
      reads.push_back(op);
  });
  return reads;
}

FailureOr<SmallVector<EpilogueRead>>
conv::getPlannedReads(gpu::GPUFuncOp func, ArrayRef<Im2colOp> reads) {
  KernelPlan plan = getKernelPlan(func);
  if (reads.empty())
    return SmallVector<EpilogueRead>();
  if (!plan.reads)
    return emitNoPlan(func, "reads", "conv-plan-stores");
  if (plan.reads->size() != reads.size())
    return func.emitOpError()
           << "reads " << reads.size()
           << " tiles, but its plan says how to read " << plan.reads->size();
  return SmallVector<EpilogueRead>(plan.reads->begin(), plan.reads->end());
}

SharedTile conv::getStagedRead(Im2colOp read) {
  return getSharedTile(read.getMatrixType(),
                       findSchedule(read->getParentOfType<gpu::GPUFuncOp>()));
}

std::string conv::whyNotStagedRead(Im2colOp read) {
  ScheduleAttr schedule =
      findSchedule(read->getParentOfType<gpu::GPUFuncOp>());
  if (schedule && hasProducer(schedule))
    return "a producer fills the memory of the operands ahead";
  ShapedType type = read.getMatrixType();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (type.getRank() != 2)
    return "a tile of several taps is read as threads hold it";
  if (!isa<gpu::GPUFuncOp>(read->getParentOp()))
    return "a tile is staged where a workgroup has one";
  if (read.getChannelsFirst() ||
      !SharedTile::isPossible(type.getDimSize(1), bytes))
    return formatv("its rows are not chunks of {0} bytes",
                   +convmlir::kChunkBytes);
  SharedTile tile = getStagedRead(read);
  ViewAddressing view(ViewTile(read), read.getSourceType().getShape(),
                      tile.getRows(), tile.getColumns());
  int64_t piece = view.getAlignment(tile.getElementsPerChunk()) * bytes;
  if (piece < kLeastStagedBytes)
    return formatv("it is of rows that are aligned to {0} bytes, but these are "
                   "aligned to {1}",
                   +kLeastStagedBytes, piece);
  return "";
}
