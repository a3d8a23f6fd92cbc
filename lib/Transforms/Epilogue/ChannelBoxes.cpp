//===- ChannelBoxes.cpp - channels first by TMA ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelBoxes.h"
#include "Support/TileChunks.h"
#include "WarpgroupStaging.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Shape/ChannelsFirstResult.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

/// So that the rows of one instruction, which are staged at a time, are 128
/// bytes of a channel.
static constexpr int64_t kElementBits = 16;

ChannelBoxes::ChannelBoxes(ScatterOp op, TileDistribution &distribution)
    : op(op), distribution(distribution), builder(op), loc(op.getLoc()),
      math(builder, loc), destType(cast<MemRefType>(op.getDest().getType())),
      positions(getImagePositions(op)) {}

bool ChannelBoxes::isPossible(ScatterOp op, const KernelTiles &tiles) {
  auto type = cast<MemRefType>(op.getDest().getType());
  int64_t positions = getImagePositions(op);
  if (type.getElementTypeBitWidth() != kElementBits || positions == 0 ||
      positions % kRowsOfWgmma != 0)
    return false;
  return bool(convmlir::getTmaBoxView(
      {type.getDimSize(0), type.getDimSize(1), positions},
      {tiles.layout.getTileN(), kRowsOfWgmma}, kElementBits / 8));
}

/// `row` is the first of those that are staged.
void ChannelBoxes::store(Value row) {
  Value channel = math.toValue(op.getMixedOffsets().back());
  Value image = math.div(row, positions), position = math.rem(row, positions);
  StoreBoxOp::create(builder, loc, staging, images,
                     ValueRange{image, channel, position});
}

void ChannelBoxes::write() {
  const FragmentLayout &layout = distribution.layout;
  int64_t rank = destType.getRank();
  images = op.getDest();
  if (rank > 3)
    images = memref::CollapseShapeOp::create(
        builder, loc, images,
        ArrayRef<ReassociationIndices>{
            {0}, {1}, llvm::to_vector(llvm::seq<int64_t>(2, rank))});
  staging = createStaging(distribution, loc, layout.getTileN(), kRowsOfWgmma,
                          destType.getElementType());
  Value flat = getFlatView(staging);
  Value thread = math.rem(distribution.thread, kWarpgroupSize);
  Value isFirst = math.isBelow(thread, int64_t(1));
  FragmentLayout::Origin origin = layout.getOrigin(math, thread);
  Value first = math.add(
      math.toValue(op.getRowOffset()),
      math.mul(distribution.getWarpgroupOfTile(math), layout.getWarpgroupM()));
  int64_t numRows = destType.getDimSize(0) * positions;
  ChannelRows rows(op, distribution, kRowsOfWgmma, layout.getTileN());
  for (int64_t row = 0; row < layout.getWarpgroupM(); row += kRowsOfWgmma) {
    awaitStagedReads(builder, loc, distribution);
    rows.write(builder, flat, origin, row, /*firstColumn=*/0);
    publishStaged(builder, loc, distribution);
    Value firstRow = math.add(first, row);
    Value stores = isFirst;
    if (numRows % layout.getTileM() != 0)
      stores = math.both(stores, math.isBelow(firstRow, numRows));
    math.guard(stores, [&] {
      store(firstRow);
      NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
    });
  }
  awaitStoresAtEnd(distribution.func);
}
