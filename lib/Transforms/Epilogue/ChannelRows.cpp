//===- ChannelRows.cpp - results with their channels first ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelRows.h"
#include "ThreadPieces.h"
#include "ZeroCells.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;

ChannelRows::ChannelRows(ScatterOp op, TileDistribution &distribution,
                         int64_t rows, int64_t columns)
    : op(op), distribution(distribution),
      elementType(op.getDestType().getElementType()),
      tile(columns, rows, elementType.getIntOrFloatBitWidth() / 8),
      view(ViewTile(op), op.getTensorShape(), distribution.layout.getTileM(),
           distribution.layout.getTapColumns(), ChangingOffsets(),
           /*channelsFirst=*/true) {}

/// `stmatrix`, which turns matrices around: four are two blocks beside each
/// other, and each lane says where eight rows of a channel begin. It takes
/// accumulators in pairs, as they were rounded; what stores them one by one
/// lets ptxas serialise the products (C7514).
void ChannelRows::writeMatrices(OpBuilder &builder, Value buffer,
                                FragmentLayout::Origin thread, int64_t firstRow,
                                int64_t firstColumn) {
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
    int64_t row = layout.getRowOffset(m, 0) - firstRow;
    for (int64_t n = 0; n < layout.getBlocksN(); n += blocks) {
      int64_t offset = layout.getColumnOffset(n) - firstColumn;
      if (!isStaged(row, offset))
        continue;
      SmallVector<Value> matrices;
      for (int64_t beside = 0; beside < blocks; ++beside)
        for (int64_t held = 0; held < FragmentLayout::kHeldM; ++held)
          matrices.push_back(vector::ExtractOp::create(
              builder, loc, fragments[layout.getBlock(m, n + beside)], held));
      Value element = math.sharedElement(tile, math.add(column, offset),
                                         math.add(chunk, row / matrix));
      StoreMatricesOp::create(builder, loc, matrices, buffer, element,
                              /*transposed=*/true);
    }
  }
}

/// Of eight lanes that hold a column, each writes one element of a chunk.
void ChannelRows::write(OpBuilder &builder, Value buffer,
                        FragmentLayout::Origin thread, int64_t firstRow,
                        int64_t firstColumn) {
  constexpr int64_t matrixBits = 16;
  if (distribution.usesWarpgroups() &&
      elementType.getIntOrFloatBitWidth() == matrixBits)
    return writeMatrices(builder, buffer, thread, firstRow, firstColumn);
  const FragmentLayout &layout = distribution.layout;
  ArrayRef<Value> fragments = distribution.getFragments(op.getValue());
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  int64_t perChunk = tile.getElementsPerChunk();
  for (int64_t m = 0; m < layout.getBlocksM(); ++m)
    for (int64_t i = 0; i < FragmentLayout::kHeldM; ++i) {
      int64_t rowOffset = layout.getRowOffset(m, i) - firstRow;
      Value row = math.add(thread.row, rowOffset);
      Value chunk = math.div(row, perChunk), inChunk = math.rem(row, perChunk);
      for (int64_t n = 0; n < layout.getBlocksN(); ++n) {
        int64_t columnOffset = layout.getColumnOffset(n) - firstColumn;
        if (!isStaged(rowOffset, columnOffset))
          continue;
        for (int64_t j = 0; j < FragmentLayout::kHeldN; ++j) {
          Value column = math.add(thread.column, columnOffset + j);
          Value held = vector::ExtractOp::create(
              builder, loc, fragments[layout.getBlock(m, n)],
              ArrayRef<int64_t>{i, j});
          memref::StoreOp::create(
              builder, loc, held, buffer,
              math.add(math.sharedElement(tile, column, chunk), inChunk));
        }
      }
    }
}

//===----------------------------------------------------------------------===//
// Whole images
//===----------------------------------------------------------------------===//

ChannelRows::WholeImages ChannelRows::findWholeImages(IndexMath &math,
                                                      Value firstRow) {
  int64_t positions = view.getPositionsOfImage(), rows = tile.getColumns();
  if (positions == 0 || positions > rows || view.getRowRun(/*limit=*/2) != 1)
    return {};
  Value row = math.add(math.toValue(op.getRowOffset()), firstRow);
  // The image of the first row goes on for so many rows, or begins there.
  Value first = math.rem(
      math.sub(math.constant(positions), math.rem(row, positions)), positions);
  Value number = math.div(math.sub(math.constant(rows), first), positions);
  return {positions, first, number};
}

/// Elements of the image in the order of memory: channels of `positions` each,
/// of which the staged ones follow each other.
void ChannelRows::storeImage(IndexMath &math, Value imageRow, int64_t positions,
                             Value buffer, Value flatDest, Value thread,
                             int64_t numThreads, Value firstRow,
                             int64_t firstColumn) {
  OpBuilder &builder = math.getBuilder();
  Location loc = op.getLoc();
  constexpr int64_t storedBytes = 4;
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  int64_t length = view.getAlignment(std::max<int64_t>(storedBytes / bytes, 1));
  auto type = VectorType::get(length, elementType);
  ViewAddressing::Origin origin = view.getOrigin(math);
  auto row = view.getRow(math, math.add(firstRow, imageRow));
  Value inMemory =
      view.getElement(math, row, origin, math.constant(firstColumn));
  int64_t number = tile.getRows() * positions / length;
  auto load = [&](Value channel, Value position) -> Value {
    Value element =
        math.sharedElementAt(tile, channel, math.add(imageRow, position));
    return memref::LoadOp::create(builder, loc, buffer, element);
  };
  auto storeAt = [&](Value first) {
    Value channel = math.div(first, positions);
    Value position = math.rem(first, positions);
    SmallVector<Value> values;
    for (int64_t i = 0; i < length; ++i) {
      Value here = math.add(position, i);
      Value isSame = i > 0 ? math.isBelow(here, positions) : Value();
      values.push_back(load(
          math.select(isSame, channel, math.add(channel, 1)),
          math.select(isSame, here, math.sub(here, math.constant(positions)))));
    }
    Value stored = vector::FromElementsOp::create(builder, loc, type, values);
    vector::StoreOp::create(builder, loc, stored, flatDest,
                            math.add(inMemory, first), /*nontemporal=*/false,
                            llvm::MaybeAlign(length * bytes));
  };
  // So many pieces of a thread are on their way at a time.
  constexpr int64_t together = 8;
  auto storePiece = [&](Value piece, bool isTested) {
    Value first = math.mul(piece, length);
    Value exists = isTested ? math.isBelow(piece, number) : Value();
    Value channel = math.add(math.div(first, positions), firstColumn);
    exists = math.both(exists, view.isColumnInside(math, origin, channel));
    math.guard(exists, [&] { storeAt(first); });
  };
  math.guard(view.isInside(math, row, origin), [&] {
    int64_t step = numThreads * together, whole = number / step * step;
    {
      OpBuilder::InsertionGuard guard(builder);
      auto loop = scf::ForOp::create(builder, loc, math.constant(0),
                                     math.constant(whole), math.constant(step));
      builder.setInsertionPointToStart(loop.getBody());
      Value piece = math.add(loop.getInductionVar(), thread);
      for (int64_t i = 0; i < together; ++i)
        storePiece(math.add(piece, i * numThreads), /*isTested=*/false);
    }
    for (int64_t i = whole; i < number; i += numThreads)
      storePiece(math.add(thread, i), i + numThreads > number);
  });
}

void ChannelRows::storeImages(IndexMath &math, const WholeImages &images,
                              Value buffer, Value flatDest, Value thread,
                              int64_t numThreads, Value firstRow,
                              int64_t firstColumn) {
  OpBuilder &builder = math.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, op.getLoc(), math.constant(0),
                                 images.number, math.constant(1));
  builder.setInsertionPointToStart(loop.getBody());
  Value row = math.add(images.first,
                       math.mul(loop.getInductionVar(), images.positions));
  storeImage(math, row, images.positions, buffer, flatDest, thread, numThreads,
             firstRow, firstColumn);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void ChannelRows::store(OpBuilder &builder, Value buffer, Value flatDest,
                        Value thread, int64_t numThreads, Value firstRow,
                        int64_t firstColumn) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  ViewAddressing::Origin origin = view.getOrigin(math);
  ZeroCells cells(op);
  if (cells.getLength() > 1)
    return storeCells(math, cells.getLength(), buffer, flatDest, thread,
                      numThreads, firstRow, firstColumn);
  int64_t piece = view.getRowRun(tile.getElementsPerChunk());
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  auto type = VectorType::get(piece, elementType);
  ThreadPieces pieces(math, tile, piece, thread, numThreads);
  WholeImages images = findWholeImages(math, firstRow);
  if (images.number)
    storeImages(math, images, buffer, flatDest, thread, numThreads, firstRow,
                firstColumn);
  Value column, first;
  // What `get` says of each of the thread's pieces at `column`, so far from it.
  auto storeAll = [&](int64_t distance, function_ref<Value(int64_t)> get) {
    int64_t step = pieces.getRowStep() * view.getColumnPitch();
    for (int64_t j = 0; j < pieces.getNumInColumn(); ++j) {
      Value channel = math.add(pieces.getRow(j), firstColumn);
      Value exists = math.both(pieces.exists(j),
                               view.isColumnInside(math, origin, channel));
      math.guard(exists, [&] {
        vector::StoreOp::create(builder, loc, get(j), flatDest,
                                math.add(first, j * step + distance),
                                /*nontemporal=*/false,
                                llvm::MaybeAlign(piece * bytes));
      });
    }
  };
  auto getValue = [&](int64_t j) -> Value {
    return vector::LoadOp::create(
        builder, loc, type, buffer, pieces.getElement(column, j),
        /*nontemporal=*/false, llvm::MaybeAlign(piece * bytes));
  };
  auto getZeros = [&](int64_t) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  };
  for (int64_t i = 0; i < pieces.getNumInRow(); ++i) {
    column = pieces.getColumn(i);
    Value rowInTile = math.add(firstRow, column);
    auto row = view.getRow(math, rowInTile);
    Value isPiece = view.isInside(math, row, origin);
    if (images.number) {
      Value inImages = math.isBelow(
          math.sub(column, images.first),
          math.mul(images.number, math.constant(images.positions)));
      Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
      isPiece = math.both(isPiece, math.bitXor(inImages, yes));
    }
    math.guard(isPiece, [&] {
      first = view.getElement(math, row, origin,
                              math.add(pieces.getRow(0), firstColumn));
      storeAll(/*distance=*/0, getValue);
      Value number = math.add(math.toValue(op.getRowOffset()), rowInTile);
      for (const ZeroCells::Zeros &zeros : cells.getZeros(math, number))
        math.guard(zeros.isInside, [&] { storeAll(zeros.distance, getZeros); });
    });
  }
}
