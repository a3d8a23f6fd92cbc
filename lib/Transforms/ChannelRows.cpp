//===- ChannelRows.cpp - results with their channels first ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelRows.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;

ChannelRows::ChannelRows(ScatterOp op, TileDistribution &distribution,
                         int64_t rows)
    : op(op), distribution(distribution),
      elementType(op.getDestType().getElementType()),
      tile(distribution.layout.getTileN(), rows,
           elementType.getIntOrFloatBitWidth() / 8),
      view(ViewTile(op), op.getTensorShape(), distribution.layout.getTileM(),
           distribution.layout.getTapColumns(), ChangingOffsets(),
           /*channelsFirst=*/true) {}

bool ChannelRows::isPossible() const {
  return !distribution.layout.hasTaps() &&
         SharedTile::isPossible(tile.getColumns(),
                                elementType.getIntOrFloatBitWidth() / 8);
}

/// `stmatrix`, which turns matrices around: four are two blocks beside each
/// other, and each lane says where eight rows of a channel begin. It takes
/// accumulators in pairs, as they were rounded; what stores them one by one
/// lets ptxas serialise the products (C7514).
void ChannelRows::writeMatrices(OpBuilder &builder, Value buffer,
                                FragmentLayout::Origin thread,
                                int64_t firstRow) {
  const FragmentLayout &layout = distribution.layout;
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  constexpr int64_t matrix = FragmentLayout::kMatrix, blocks = 2, lanes = 32;
  Value lane = math.rem(distribution.thread, lanes);
  // Of matrix i + 2 * block, which the lane addresses.
  Value i = math.rem(math.div(lane, matrix), FragmentLayout::kHeldM);
  Value block = math.div(lane, matrix * FragmentLayout::kHeldM);
  Value chunk = math.add(math.div(thread.row, matrix), i);
  Value column =
      math.add(math.mul(math.div(thread.column, matrix), matrix),
               math.add(math.mul(block, matrix), math.rem(lane, matrix)));
  for (int64_t m = 0; m < layout.getBlocksM(); ++m) {
    int64_t offset = layout.getRowOffset(m, 0) - firstRow;
    if (offset < 0 || offset >= tile.getColumns())
      continue;
    for (int64_t n = 0; n < layout.getBlocksN(); n += blocks) {
      SmallVector<Value> matrices;
      for (int64_t beside = 0; beside < blocks; ++beside)
        for (int64_t held = 0; held < FragmentLayout::kHeldM; ++held)
          matrices.push_back(vector::ExtractOp::create(
              builder, loc, fragments[layout.getBlock(m, n + beside)], held));
      Value element =
          math.sharedElement(tile, math.add(column, layout.getColumnOffset(n)),
                             math.add(chunk, offset / matrix));
      StoreMatricesOp::create(builder, loc, matrices, buffer, element,
                              /*transposed=*/true);
    }
  }
}

/// Of eight lanes that hold a column, each writes one element of a chunk.
void ChannelRows::write(OpBuilder &builder, Value buffer,
                        FragmentLayout::Origin thread, int64_t firstRow) {
  constexpr int64_t matrixBits = 16;
  if (distribution.usesWarpgroups() &&
      elementType.getIntOrFloatBitWidth() == matrixBits)
    return writeMatrices(builder, buffer, thread, firstRow);
  const FragmentLayout &layout = distribution.layout;
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  int64_t perChunk = tile.getElementsPerChunk();
  for (int64_t m = 0; m < layout.getBlocksM(); ++m)
    for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
      int64_t offset = layout.getRowOffset(m, i) - firstRow;
      if (offset < 0 || offset >= tile.getColumns())
        continue;
      Value row = math.add(thread.row, offset);
      Value chunk = math.div(row, perChunk), inChunk = math.rem(row, perChunk);
      for (int64_t n = 0; n < layout.getBlocksN(); ++n)
        for (int64_t j = 0; j < FragmentLayout::kHeldN; ++j) {
          Value column = math.add(thread.column, layout.getColumnOffset(n) + j);
          Value held = vector::ExtractOp::create(
              builder, loc, fragments[layout.getBlock(m, n)],
              ArrayRef<int64_t>{i, j});
          memref::StoreOp::create(
              builder, loc, held, buffer,
              math.add(math.sharedElement(tile, column, chunk), inChunk));
        }
    }
}

/// Neighbouring positions of one channel, in as many pieces as there may be
/// ends of images among them.
void ChannelRows::storeChunk(OpBuilder &builder, Value buffer, Value flatDest,
                             const TileChunk &chunk,
                             const ViewAddressing::Origin &origin,
                             Value firstRow) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  int64_t perChunk = tile.getElementsPerChunk();
  int64_t piece = view.getRowRun(perChunk);
  Value value = vector::LoadOp::create(
      builder, loc, VectorType::get(perChunk, elementType), buffer,
      chunk.shared, /*nontemporal=*/false,
      llvm::MaybeAlign(convmlir::kChunkBytes));
  for (int64_t j = 0; j < perChunk; j += piece) {
    auto row = view.getRow(math, math.add(math.add(firstRow, chunk.column), j));
    math.guard(view.isInside(math, row, origin), [&] {
      Value part = value;
      if (piece != perChunk)
        part = vector::ExtractStridedSliceOp::create(builder, loc, value, j,
                                                     piece, /*strides=*/1);
      vector::StoreOp::create(
          builder, loc, part, flatDest,
          view.getElement(math, row, origin, chunk.row), /*nontemporal=*/false,
          llvm::MaybeAlign(piece * elementType.getIntOrFloatBitWidth() / 8));
    });
  }
}

void ChannelRows::store(OpBuilder &builder, Value buffer, Value flatDest,
                        Value thread, int64_t numThreads, Value firstRow) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  ViewAddressing::Origin origin = view.getOrigin(math);
  for (const TileChunk &chunk :
       getThreadChunks(math, tile, thread, numThreads)) {
    Value exists =
        math.both(chunk.exists, view.isColumnInside(math, origin, chunk.row));
    math.guard(exists, [&] {
      storeChunk(builder, buffer, flatDest, chunk, origin, firstRow);
    });
  }
}
