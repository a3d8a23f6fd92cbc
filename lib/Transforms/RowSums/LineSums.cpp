//===- LineSums.cpp - sums over columns of a tile -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By LineSumLayout. A lane has whole lines of the tile, and goes along them
// chunk by chunk. It adds the sums of each line in pairs, and stores the
// results.
//
//===----------------------------------------------------------------------===//

#include "HelperSums.h"
#include "Support/TileChunks.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

namespace {
class LineSums : public HelperSums {
public:
  LineSums(OpBuilder &builder, Location loc, LineSumLayout layout,
           VectorType tileSums)
      : HelperSums(tileSums,
                   VectorType::get({layout.linesPerLane, LineSumLayout::kSums},
                                   tileSums.getElementType()),
                   LineSumLayout::kSums),
        layout(layout) {
    IndexMath math(builder, loc);
    Place place = findPlace(math, layout.warps);
    line = math.add(math.mul(place.warp, layout.linesPerLane * conv::kWarpSize),
                    place.lane);
  }
  Value addTile(OpBuilder &builder, Location loc, TypedValue<MemRefType> memref,
                Value sums) override;
  void store(OpBuilder &builder, ScatterOp op, Value sums) override;

private:
  Value addChunk(OpBuilder &builder, Location loc, Value chunk, Value sums);

  LineSumLayout layout;
  Value line; ///< The first one.
};
} // namespace

/// Every kSums-th element to the same sum, in ascending order.
Value LineSums::addChunk(OpBuilder &builder, Location loc, Value chunk,
                         Value sums) {
  Value wide = widen(builder, loc, chunk);
  int64_t number = cast<VectorType>(wide.getType()).getNumElements();
  for (int64_t i = 0; i < number; i += LineSumLayout::kSums)
    sums = arith::AddFOp::create(
        builder, loc, sums,
        vector::ExtractStridedSliceOp::create(builder, loc, wide, ArrayRef{i},
                                              ArrayRef{LineSumLayout::kSums},
                                              ArrayRef<int64_t>{1}));
  return sums;
}

Value LineSums::addTile(OpBuilder &builder, Location loc,
                        TypedValue<MemRefType> memref, Value sums) {
  MemRefType type = memref.getType();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  PanelTile panels(type.getDimSize(0), type.getDimSize(1), bytes);
  SharedTile tile(type.getDimSize(0), panels.getPanelColumns(), bytes);
  Value flat = getFlatView(memref);
  int64_t chunks = tile.getChunksPerRow(); // Of a panel: two, four or eight.
  int64_t numChunks = panels.getNumPanels() * chunks;
  constexpr int64_t together = 2;
  IndexMath math(builder, loc);
  auto loop = scf::ForOp::create(builder, loc, math.constant(0),
                                 math.constant(numChunks / together),
                                 math.constant(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = math.mul(loop.getInductionVar(), together), panel;
  if (numChunks > chunks) {
    panel = math.mul(math.div(first, chunks), panels.getPanelElements());
    first = math.rem(first, chunks);
  }
  Value next = loop.getRegionIterArg(0);
  // Lines 32 apart are permuted alike.
  SmallVector<SmallVector<Value>> loaded(layout.linesPerLane);
  for (int64_t i = 0; i < together; ++i) {
    Value element = math.sharedElement(tile, line, math.add(first, i));
    if (panel)
      element = math.add(panel, element);
    for (auto [number, ofLine] : llvm::enumerate(loaded)) {
      int64_t distance = number * conv::kWarpSize * tile.getColumns();
      ofLine.push_back(
          loadChunk(builder, loc, flat, math.add(element, distance)));
    }
  }
  for (auto [number, ofLine] : llvm::enumerate(loaded)) {
    Value own = vector::ExtractOp::create(builder, loc, next, int64_t(number));
    for (Value chunk : ofLine)
      own = addChunk(builder, loc, chunk, own);
    next = vector::InsertOp::create(builder, loc, own, next, int64_t(number));
  }
  scf::YieldOp::create(builder, loc, next);
  return loop.getResult(0);
}

void LineSums::store(OpBuilder &builder, ScatterOp op, Value sums) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  for (int64_t number = 0; number < layout.linesPerLane; ++number) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < LineSumLayout::kSums; ++i)
      parts.push_back(vector::ExtractOp::create(builder, loc, sums,
                                                ArrayRef<int64_t>{number, i}));
    for (; parts.size() > 1; parts.truncate(parts.size() / 2))
      for (size_t i = 0; i < parts.size() / 2; ++i)
        parts[i] = arith::AddFOp::create(builder, loc, parts[i],
                                         parts[i + parts.size() / 2]);
    Value sum = vector::FromElementsOp::create(
        builder, loc, VectorType::get(1, laneSums.getElementType()),
        parts.front());
    storePieces(math, op, sum, math.add(line, number * conv::kWarpSize));
  }
}

std::unique_ptr<HelperSums> conv::makeLineSums(OpBuilder &builder, Location loc,
                                               ArrayRef<int64_t> tile,
                                               int64_t elementBytes,
                                               VectorType tileSums) {
  auto layout = LineSumLayout::get(tile[0], tile[1], elementBytes);
  if (!layout)
    return nullptr;
  return std::make_unique<LineSums>(builder, loc, *layout, tileSums);
}
