//===- Pieces.cpp - tiles in the order of memory --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has the same positions of every few channels: where these are in the
// tensor is computed once for the tile of the result, and channels are at
// constant distances.
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"

#include "Gathers.h"
#include "Support/TileChunks.h"
#include "Support/ViewAddressing.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

namespace {
/// A tile's pieces, and a thread's share of them.
class PieceCopy {
public:
  PieceCopy(Im2colOp op, const GatherEnds &ends);
  LogicalResult lower();

private:
  void findRows();
  Value getShared(IndexMath &math, int64_t set, int64_t turn) const;
  void emitPiece(IndexMath &math, int64_t set, int64_t turn);
  int64_t getNumTurns() const {
    return llvm::divideCeil(tile.getRows(), channelThreads);
  }

  Im2colOp op;
  GatherEnds ends;
  PanelTile tile; ///< [channel, position].
  ViewAddressing view;
  int64_t run;                          ///< Positions of a piece.
  int64_t pieceThreads, channelThreads; ///< Side by side.
  int64_t numSets;                      ///< Pieces of a channel for a thread.
  Value piece, channel;                 ///< The thread's first.
  SmallVector<ViewAddressing::Position> rows; ///< Of each set.
  ViewAddressing::Origin origin;
};
} // namespace

/// Lanes lie along the positions, for whole sectors and lines without bank
/// conflicts.
PieceCopy::PieceCopy(Im2colOp op, const GatherEnds &ends)
    : op(op), ends(ends), tile(ends.tile),
      view(ViewTile(op), op.getTensorShape(), tile.getColumns(), tile.getRows(),
           ChangingOffsets(), /*channelsFirst=*/true),
      run(view.getRowRun(convmlir::kChunkBytes * tile.getPanelColumns() /
                         tile.getSpanBytes())) {
  int64_t threads = ends.team.warps * conv::kWarpSize;
  int64_t pieces = tile.getColumns() / run;
  pieceThreads = std::gcd(pieces, threads);
  channelThreads = threads / pieceThreads;
  numSets = pieces / pieceThreads;
}

/// The positions, once for the tile of the result where they are the same in
/// all of its blocks.
void PieceCopy::findRows() {
  Value thread = ends.team.thread;
  auto row = dyn_cast<Value>(op.getRowOffset());
  OpBuilder builder(op);
  bool isOfTile = row && row.getParentBlock() != thread.getParentBlock();
  setInsertionPointAfter(builder, isOfTile ? row : thread);
  if (!isOfTile)
    moveInsertionPointBehind(builder, row);
  IndexMath math(builder, op.getLoc());
  int64_t threads = pieceThreads * channelThreads;
  Value own = getSharingIndex(math, thread, threads);
  piece = math.rem(own, pieceThreads);
  channel = math.div(own, pieceThreads);
  for (int64_t set = 0; set < numSets; ++set) {
    ViewAddressing::Position position =
        view.getRow(math, math.mul(math.add(piece, set * pieceThreads), run));
    position.element =
        math.add(position.element, math.mul(channel, view.getChannelPitch()));
    rows.push_back(position);
  }
}

/// Rows of a panel that are a multiple of the swizzle's period apart, and
/// panels, are at constant distances.
Value PieceCopy::getShared(IndexMath &math, int64_t set, int64_t turn) const {
  int64_t columns = tile.getPanelColumns();
  SharedTile panel(tile.getRows(), columns, tile.getSpanBytes() / columns);
  int64_t period =
      SharedTile::kSwizzlePeriod /
      std::gcd<int64_t>(SharedTile::kSwizzlePeriod, channelThreads);
  int64_t permuted = turn % period, distance = 0;
  Value column = math.mul(piece, run);
  if (pieceThreads * run % columns == 0)
    distance = set * (pieceThreads * run / columns) * tile.getPanelElements();
  else
    column = math.add(column, set * pieceThreads * run);
  distance += (turn - permuted) * channelThreads * columns;
  Value line = math.add(channel, permuted * channelThreads);
  Value element = math.sharedElementAt(panel, line, math.rem(column, columns));
  element = math.add(
      element, math.mul(math.div(column, columns), tile.getPanelElements()));
  return math.add(element, distance);
}

/// What is past the tensor is filled with zeros.
void PieceCopy::emitPiece(IndexMath &math, int64_t set, int64_t turn) {
  OpBuilder &builder = math.getBuilder();
  int64_t below = turn * channelThreads;
  Value column = math.add(channel, below), exists;
  if (below + channelThreads > tile.getRows())
    exists = math.isBelow(column, tile.getRows());
  math.guard(exists, [&] {
    Value valid = view.isElementInside(math, rows[set], origin, column), count;
    if (valid)
      count = math.select(valid, math.constant(run), math.constant(0));
    Value element = view.getElement(math, rows[set], origin, math.constant(0));
    int64_t bytes = run * tile.getSpanBytes() / tile.getPanelColumns();
    nvgpu::DeviceAsyncCopyOp::create(
        builder, op.getLoc(), nvgpu::DeviceAsyncTokenType::get(op.getContext()),
        ends.dest, getShared(math, set, turn), ends.source,
        math.add(element, below * view.getChannelPitch()),
        builder.getIndexAttr(run), count,
        bytes == convmlir::kChunkBytes ? builder.getUnitAttr() : nullptr);
  });
}

LogicalResult PieceCopy::lower() {
  constexpr int64_t leastRun = 2; // 4 bytes
  if (run < leastRun)
    return op.emitOpError("has rows whose pairs are no aligned neighbours");
  findRows();
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  origin = view.getOrigin(math);
  for (int64_t turn = 0; turn < getNumTurns(); ++turn)
    for (int64_t set = 0; set < numSets; ++set)
      emitPiece(math, set, turn);
  op.erase();
  return success();
}

LogicalResult conv::lowerPieces(Im2colOp op) {
  FailureOr<GatherEnds> ends = getGatherEnds(op);
  if (failed(ends))
    return failure();
  return PieceCopy(op, *ends).lower();
}
