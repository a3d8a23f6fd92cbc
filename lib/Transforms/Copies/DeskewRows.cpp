//===- DeskewRows.cpp - tiles made of boxes of images ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// engine.deskew_rows to loads and stores of a thread. Lanes lie along the
// positions, without bank conflicts: each has a run of them that lies aligned
// in boxes and tile alike, up to 16 bytes. Where an image has an odd number of
// positions, it loads two neighbours one by one and stores them together.
//
// Where a thread's positions are in the boxes is computed once for the tile of
// the result. Channels are at constant distances, and so are their skews where
// a thread's channels are of one class or all of them.
//
//===----------------------------------------------------------------------===//

#include "DeskewRows.h"
#include "Ring/RawRowRing.h"

#include "Support/IndexMath.h"
#include "Support/TileChunks.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;
using convmlir::SkewedLines;

namespace {
class Deskewing {
public:
  /// The loads of so many pieces come before their stores.
  Deskewing(DeskewRowsOp op, int64_t warps, int64_t piecesAhead);
  void emit();

private:
  /// A piece of a channel, and the same of every few channels.
  struct Set {
    /// In the boxes, of each element that is loaded alone or first, for each
    /// row of the swizzle and class of channels.
    SmallVector<SmallVector<Value>> sources;
    SmallVector<Value> places; ///< In the tile, for each row of the swizzle.
  };
  int64_t getChannels() { return op.getBoxesType().getDimSize(1); }
  /// Turns after which classes and the swizzle's pattern begin anew.
  int64_t getPeriod() const {
    int64_t period =
        std::max<int64_t>(SharedTile::kSwizzlePeriod, raw.lines.getClasses());
    return period / std::gcd(period, channelThreads);
  }
  Set findSet(IndexMath &place, IndexMath &row, int64_t number);
  Value load(IndexMath &math, const Set &set, int64_t turn);
  void store(IndexMath &math, const Set &set, int64_t turn, Value piece);

  DeskewRowsOp op;
  convmlir::RawRows raw;
  PanelTile tile;                       ///< [channel, position].
  int64_t run;                          ///< Positions that are loaded together,
  int64_t width;                        ///< and stored together.
  int64_t pieceThreads, channelThreads; ///< Side by side.
  int64_t piecesAhead;
  Value boxes, dest;
  Value piece, channel; ///< The thread's first.
  Value first;          ///< The tile's first row, in its image.
  std::optional<RawRowPlaces> places;
};
} // namespace

Deskewing::Deskewing(DeskewRowsOp op, int64_t warps, int64_t piecesAhead)
    : op(op), raw(*convmlir::getRawRows(op.getPositions(),
                                        op.getTileType().getDimSize(1))),
      tile(op.getTileType().getDimSize(0), op.getTileType().getDimSize(1), 2),
      run(raw.getRun()), width(std::max<int64_t>(run, 2)),
      piecesAhead(piecesAhead), boxes(getFlatView(op.getBoxes())),
      dest(getFlatView(op.getTile())) {
  int64_t threads = warps * conv::kWarpSize;
  pieceThreads = std::gcd(tile.getColumns() / width, threads);
  channelThreads = threads / pieceThreads;
}

/// `place` is where threads are known, `row` where the tile's row is, too.
Deskewing::Set Deskewing::findSet(IndexMath &place, IndexMath &row,
                                  int64_t number) {
  Set set;
  Value position = place.mul(place.add(piece, number * pieceThreads), width);
  // That it is not negative lets constant distances move into addresses.
  int64_t most = llvm::PowerOf2Ceil(op.getBoxesType().getNumElements()) - 1;
  SharedTile box(getChannels(), raw.boxPositions, 2);
  for (int64_t turn = 0; turn < getPeriod(); ++turn) {
    Value line = row.add(channel, turn * channelThreads);
    Value skew =
        row.mul(row.rem(line, raw.lines.getClasses()), raw.lines.getSkew(1));
    SmallVector<Value> &sources = set.sources.emplace_back();
    for (int64_t i = 0; i < width; i += run) {
      auto [number, column] =
          places->getPosition(row, row.add(first, row.add(position, i)), skew);
      Value element = row.add(row.mul(number, getChannels() * raw.boxPositions),
                              row.sharedElementAt(box, line, column));
      sources.push_back(row.bitAnd(element, most));
    }
  }
  int64_t columns = tile.getPanelColumns();
  SharedTile panel(tile.getRows(), columns, 2);
  for (int64_t turn = 0; turn < getPeriod(); ++turn) {
    Value line = place.add(channel, turn * channelThreads);
    set.places.push_back(place.add(
        place.sharedElementAt(panel, line, place.rem(position, columns)),
        place.mul(place.div(position, columns), tile.getPanelElements())));
  }
  return set;
}

Value Deskewing::load(IndexMath &math, const Set &set, int64_t turn) {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  Type type = op.getTileType().getElementType();
  int64_t permuted = turn % getPeriod();
  int64_t distance = (turn - permuted) * channelThreads * raw.boxPositions;
  SmallVector<Value> parts;
  for (Value source : set.sources[permuted]) {
    Value element = math.add(source, distance);
    if (run == 1)
      parts.push_back(memref::LoadOp::create(builder, loc, boxes, element));
    else
      return vector::LoadOp::create(builder, loc, VectorType::get(run, type),
                                    boxes, element, /*nontemporal=*/false,
                                    llvm::MaybeAlign(2 * run));
  }
  return vector::FromElementsOp::create(builder, loc,
                                        VectorType::get(width, type), parts);
}

/// Lines of a panel that are a multiple of the swizzle's period apart are at
/// constant distances.
void Deskewing::store(IndexMath &math, const Set &set, int64_t turn,
                      Value value) {
  int64_t permuted = turn % getPeriod();
  int64_t distance =
      (int64_t(op.getChannel()) + (turn - permuted) * channelThreads) *
      tile.getPanelColumns();
  vector::StoreOp::create(math.getBuilder(), math.getLoc(), value, dest,
                          math.add(set.places[permuted], distance),
                          /*nontemporal=*/false, llvm::MaybeAlign(2 * width));
}

void Deskewing::emit() {
  Value thread = getThreadIndex(op->getParentOfType<gpu::GPUFuncOp>());
  OpBuilder outside(op->getContext()), ofTile(op->getContext()), inside(op);
  setInsertionPointAfter(outside, thread);
  setInsertionPointAfter(ofTile, op.getRow());
  moveInsertionPointBehind(ofTile, thread);
  IndexMath place(outside, op.getLoc()), row(ofTile, op.getLoc()),
      late(inside, op.getLoc());
  int64_t threads = pieceThreads * channelThreads;
  Value own = getSharingIndex(place, thread, threads);
  piece = place.rem(own, pieceThreads);
  channel =
      channelThreads == 1 ? place.constant(0) : place.div(own, pieceThreads);
  first = row.rem(op.getRow(), raw.lines.positions);
  places.emplace(row, raw, first);
  SmallVector<Set> sets;
  int64_t numSets = tile.getColumns() / width / pieceThreads;
  for (int64_t number = 0; number < numSets; ++number)
    sets.push_back(findSet(place, row, number));
  // What no thread has channels for is left out.
  int64_t whole = getChannels() / channelThreads;
  auto copy = [&](int64_t begin, int64_t end) {
    SmallVector<std::pair<int64_t, int64_t>> pieces; // Turn and set.
    for (int64_t turn = begin; turn < end; ++turn)
      for (int64_t set = 0; set < numSets; ++set)
        pieces.push_back({turn, set});
    ArrayRef<std::pair<int64_t, int64_t>> left(pieces);
    while (!left.empty()) {
      auto batch = left.take_front(piecesAhead);
      left = left.drop_front(batch.size());
      SmallVector<Value> loaded;
      for (auto [turn, set] : batch)
        loaded.push_back(load(late, sets[set], turn));
      for (auto [i, place] : llvm::enumerate(batch))
        store(late, sets[place.second], place.first, loaded[i]);
    }
  };
  copy(0, whole);
  if (int64_t rest = getChannels() % channelThreads)
    late.guard(late.isBelow(channel, rest), [&] { copy(whole, whole + 1); });
}

LogicalResult conv::lowerDeskewing(DeskewRowsOp op) {
  FailureOr<int64_t> warps = getSharingWarps(op);
  if (failed(warps))
    return failure();
  FailureOr<int64_t> loads = getLoadsAhead(op);
  if (failed(loads))
    return failure();
  Deskewing(op, *warps, *loads).emit();
  op.erase();
  return success();
}
