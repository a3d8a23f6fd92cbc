//===- ImageStores.cpp - whole images with channels first, by TMA ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageStores.h"
#include "Support/TileChunks.h"
#include "WarpgroupStaging.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Shape/ChannelsFirstResult.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Elements of a line of what is staged, and of the tensor as it is stored.
static constexpr int64_t kLine = 64;
// So as many filters of an image are as many lines as it has positions.
static_assert(kLine == kRowsOfWgmma);

ImageStores::ImageStores(ScatterOp op, TileDistribution &distribution)
    : op(op), distribution(distribution), layout(distribution.layout),
      builder(op), loc(op.getLoc()), math(builder, loc),
      destType(cast<MemRefType>(op.getDest().getType())),
      positions(getImagePositions(op)), images(countImages(op, distribution)) {}

int64_t ImageStores::countImages(ScatterOp op, const KernelTiles &tiles) {
  auto type = cast<MemRefType>(op.getDest().getType());
  return tiles.layout.hasTaps()
             ? 0
             : countWholeImages(tiles.schedule, getImagePositions(op),
                                type.getDimSize(1),
                                type.getElementTypeBitWidth() / 8);
}

/// Where the position of the thread's first filter is staged: one of eight from
/// `firstPosition` on. An image is [filter, position].
Value ImageStores::getPlace(int64_t firstPosition, Value position) {
  int64_t last = firstPosition + FragmentLayout::kBlockN - 1;
  int64_t between = (kRowsOfWgmma - 1) * positions;
  if (firstPosition / positions == last / positions)
    return math.add(position, firstPosition / positions * between);
  return math.add(position, math.mul(math.div(position, positions), between));
}

/// What the thread has of eight lines: two neighbouring positions of two
/// filters. Those of an odd number of positions are not aligned.
void ImageStores::stage(int64_t blockM, int64_t blockN) {
  constexpr int64_t pairs = FragmentLayout::kBlockN / FragmentLayout::kHeldN;
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  Value lane = math.rem(thread, conv::kWarpSize);
  Value filter = math.add(
      math.mul(math.div(thread, conv::kWarpSize), FragmentLayout::kBlockM),
      math.div(lane, pairs));
  Value first = math.mul(filter, positions);
  int64_t firstLine = blockN * FragmentLayout::kBlockN;
  Value line = math.add(math.mul(math.rem(lane, pairs), FragmentLayout::kHeldN),
                        firstLine);
  bool isLast = firstLine + FragmentLayout::kBlockN > layout.getTileM();
  Value scratch = math.add(math.mul(thread, FragmentLayout::kMatrix),
                           layout.getTileM() * kRowsOfWgmma);
  int64_t together = positions % FragmentLayout::kHeldN == 0
                         ? int64_t(FragmentLayout::kHeldN)
                         : 1;
  int64_t bytes = destType.getElementTypeBitWidth() / 8;
  for (int64_t j = 0; j < FragmentLayout::kHeldN; j += together) {
    Value position = math.add(line, j);
    Value place = math.add(first, getPlace(firstLine, position));
    Value exists = isLast ? math.isBelow(position, layout.getTileM()) : Value();
    for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
      Value element =
          math.add(place, layout.getFilterOffset(/*blockM=*/0, i) * positions);
      element = math.select(exists, element, scratch);
      Value held = fragments[layout.getBlock(blockM, blockN)];
      if (together == FragmentLayout::kHeldN) {
        vector::StoreOp::create(
            builder, loc, vector::ExtractOp::create(builder, loc, held, i),
            flat, element, /*nontemporal=*/false,
            llvm::MaybeAlign(together * bytes));
        continue;
      }
      memref::StoreOp::create(builder, loc,
                              vector::ExtractOp::create(
                                  builder, loc, held, ArrayRef<int64_t>{i, j}),
                              flat, element);
    }
  }
}

/// By one thread: a box for each image, of the 64 filters `blockM`.
void ImageStores::store(int64_t blockM) {
  int64_t batch = destType.getDimSize(0), channels = destType.getDimSize(1);
  SmallVector<ReassociationIndices> all = {
      llvm::to_vector(llvm::seq<int64_t>(destType.getRank()))};
  int64_t lines = destType.getNumElements() / kLine;
  Value row = memref::CollapseShapeOp::create(builder, loc, op.getDest(), all);
  Value dest = memref::ExpandShapeOp::create(
      builder, loc, ArrayRef<int64_t>{lines, kLine}, row,
      ArrayRef<ReassociationIndices>{{0, 1}});
  Value channel = math.add(
      math.toValue(op.getMixedOffsets().back()),
      math.add(distribution.getPart(math).column, blockM * kRowsOfWgmma));
  Value image = math.div(math.toValue(op.getRowOffset()), positions);
  Value stores = math.isBelow(thread, int64_t(1));
  if (channels % layout.getTileN() != 0)
    stores = math.both(stores, math.isBelow(channel, channels));
  SmallVector<OpFoldResult> sizes = {builder.getIndexAttr(positions),
                                     builder.getIndexAttr(kLine)};
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  math.guard(stores, [&] {
    for (int64_t i = 0; i < images; ++i) {
      Value number = math.add(image, i);
      Value exists =
          i > 0 && batch % images != 0 ? math.isBelow(number, batch) : Value();
      math.guard(exists, [&] {
        Value run = math.add(math.mul(number, channels / kRowsOfWgmma),
                             math.div(channel, kRowsOfWgmma));
        SmallVector<OpFoldResult> offsets = {
            builder.getIndexAttr(i * positions), builder.getIndexAttr(0)};
        Value box = memref::SubViewOp::create(builder, loc, staging, offsets,
                                              sizes, strides);
        StoreBoxOp::create(
            builder, loc, box, dest,
            ValueRange{math.mul(run, positions), math.constant(0)},
            /*dense=*/true);
      });
    }
    NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
  });
}

void ImageStores::write() {
  staging = createStaging(distribution, loc, layout.getTileM(), kRowsOfWgmma,
                          destType.getElementType());
  flat = getFlatView(staging);
  thread = math.rem(distribution.thread, kWarpgroupSize);
  for (int64_t m = 0; m < layout.getBlocksM(); ++m) {
    awaitStagedReads(builder, loc, distribution);
    for (int64_t n = 0; n < layout.getBlocksN(); ++n)
      stage(m, n);
    publishStaged(builder, loc, distribution);
    store(m);
  }
  awaitStoresAtEnd(distribution.func);
}
