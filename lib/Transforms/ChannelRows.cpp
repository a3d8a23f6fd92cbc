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

namespace {
/// A thread's pieces of a staged tile, all of the same length.
class ThreadPieces {
public:
  ThreadPieces(IndexMath &math, const SharedTile &tile, int64_t piece,
               Value thread, int64_t numThreads)
      : math(math), tile(tile), piece(piece), perRow(tile.getColumns() / piece),
        lanes(std::gcd(numThreads, perRow)), rowStep(numThreads / lanes),
        lane(math.rem(thread, lanes)), firstRow(math.div(thread, lanes)) {}

  /// Pieces of a row of the tile, and of a column.
  int64_t getNumInRow() const { return perRow / lanes; }
  int64_t getNumInColumn() const {
    return llvm::divideCeil(tile.getRows(), rowStep);
  }
  Value getColumn(int64_t i) {
    return math.mul(math.add(lane, i * lanes), piece);
  }
  Value getRow(int64_t j) { return math.add(firstRow, j * rowStep); }
  int64_t getRowStep() const { return rowStep; }
  /// Null: always.
  Value exists(int64_t j) {
    bool all = (j + 1) * rowStep <= tile.getRows();
    return all ? Value() : math.isBelow(getRow(j), tile.getRows());
  }
  /// Where a piece begins in the tile, seen as one row. Rows that are permuted
  /// alike are a constant apart.
  Value getElement(Value column, int64_t j) {
    int64_t alike = j % (kPeriod / std::gcd(rowStep, kPeriod));
    int64_t perChunk = tile.getElementsPerChunk();
    Value element = math.add(
        math.sharedElement(tile, getRow(alike), math.div(column, perChunk)),
        math.rem(column, perChunk));
    return math.add(element, (j - alike) * rowStep * tile.getColumns());
  }

private:
  static constexpr int64_t kPeriod = SharedTile::kSwizzlePeriod;

  IndexMath &math;
  const SharedTile &tile;
  int64_t piece;
  int64_t perRow;  ///< Pieces of a row,
  int64_t lanes;   ///< of which so many threads have neighbours
  int64_t rowStep; ///< in so many rows.
  Value lane, firstRow;
};
} // namespace

void ChannelRows::store(OpBuilder &builder, Value buffer, Value flatDest,
                        Value thread, int64_t numThreads, Value firstRow,
                        int64_t firstColumn) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  ViewAddressing::Origin origin = view.getOrigin(math);
  int64_t piece = view.getRowRun(tile.getElementsPerChunk());
  auto type = VectorType::get(piece, elementType);
  llvm::MaybeAlign align(piece * elementType.getIntOrFloatBitWidth() / 8);
  ThreadPieces pieces(math, tile, piece, thread, numThreads);
  for (int64_t i = 0; i < pieces.getNumInRow(); ++i) {
    Value column = pieces.getColumn(i);
    auto row = view.getRow(math, math.add(firstRow, column));
    math.guard(view.isInside(math, row, origin), [&] {
      Value first = view.getElement(math, row, origin,
                                    math.add(pieces.getRow(0), firstColumn));
      int64_t distance = pieces.getRowStep() * view.getColumnPitch();
      for (int64_t j = 0; j < pieces.getNumInColumn(); ++j) {
        Value channel = math.add(pieces.getRow(j), firstColumn);
        Value exists = math.both(pieces.exists(j),
                                 view.isColumnInside(math, origin, channel));
        math.guard(exists, [&] {
          Value value = vector::LoadOp::create(builder, loc, type, buffer,
                                               pieces.getElement(column, j),
                                               /*nontemporal=*/false, align);
          vector::StoreOp::create(builder, loc, value, flatDest,
                                  math.add(first, j * distance),
                                  /*nontemporal=*/false, align);
        });
      }
    });
  }
}
