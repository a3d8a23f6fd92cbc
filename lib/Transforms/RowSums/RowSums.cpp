//===- RowSums.cpp - sums over rows of a tile -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By RowSumLayout. A lane adds its rows in ascending order, tile by tile; a
// butterfly adds the lanes with the same columns, and one of them stores.
//
//===----------------------------------------------------------------------===//

#include "HelperSums.h"
#include "PlainKernels/LaneSums.h"
#include "Support/TileChunks.h"
#include "TensorCores/OperandTile.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

namespace {
class RowSums : public HelperSums {
public:
  RowSums(OpBuilder &builder, Location loc, RowSumLayout layout, int64_t chunk,
          VectorType tileSums)
      : HelperSums(tileSums, VectorType::get(chunk, tileSums.getElementType()),
                   layout.rowGroups),
        layout(layout) {
    IndexMath math(builder, loc);
    findLane(math);
  }
  Value addTile(OpBuilder &builder, Location loc, TypedValue<MemRefType> memref,
                Value sums) override;
  void store(OpBuilder &builder, ScatterOp op, Value sums) override;

private:
  void findLane(IndexMath &math);

  RowSumLayout layout;
  Value column, row;  ///< The first ones.
  Value isFirstGroup; ///< Of rows.
};
} // namespace

/// Lanes that load together, eight of them, have the chunks of whole lines; or
/// of two half lines whose rows differ by four, and so by a half line in the
/// permutation.
static Value getFirstRow(IndexMath &math, const RowSumLayout &layout,
                         Value group) {
  constexpr int64_t period = SharedTile::kSwizzlePeriod;
  if (layout.chunksPerWarp >= period)
    return group;
  return math.add(math.mul(math.rem(group, 2), period / 2), math.div(group, 2));
}

void RowSums::findLane(IndexMath &math) {
  Place place = findPlace(math, layout.warps);
  Value chunk = math.add(math.mul(place.warp, layout.chunksPerWarp),
                         math.rem(place.lane, layout.chunksPerWarp));
  column = math.mul(chunk, laneSums.getNumElements());
  Value group = math.div(place.lane, layout.chunksPerWarp);
  isFirstGroup = math.isBelow(group, 1);
  row = getFirstRow(math, layout, group);
}

Value RowSums::addTile(OpBuilder &builder, Location loc,
                       TypedValue<MemRefType> memref, Value sums) {
  MemRefType type = memref.getType();
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t panel = PanelTile(rows, columns, bytes).getPanelColumns();
  OperandTile tile = {Operand::A,
                      Major::MN,
                      memref,
                      type.getElementType(),
                      SharedTile(rows, panel, bytes),
                      columns};
  OpBuilder entry(builder.getContext());
  entry.setInsertionPointAfterValue(row);
  OperandPositions positions(loc, tile, entry);
  Value flat = getFlatView(memref);
  int64_t loads = layout.getLoadsTogether(rows);
  int64_t rowsTogether = loads * layout.rowGroups;

  IndexMath math(builder, loc);
  auto loop = scf::ForOp::create(builder, loc, math.constant(0),
                                 math.constant(rows / rowsTogether),
                                 math.constant(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = math.mul(loop.getInductionVar(), rowsTogether * panel);
  SmallVector<Value> chunks;
  for (int64_t i = 0; i < loads; ++i) {
    Value element =
        positions.get(builder, column, /*mn=*/0, row, i * layout.rowGroups);
    chunks.push_back(loadChunk(builder, loc, flat, math.add(first, element)));
  }
  Value next = loop.getRegionIterArg(0);
  for (Value chunk : chunks)
    next =
        arith::AddFOp::create(builder, loc, next, widen(builder, loc, chunk));
  scf::YieldOp::create(builder, loc, next);
  return loop.getResult(0);
}

void RowSums::store(OpBuilder &builder, ScatterOp op, Value sums) {
  IndexMath math(builder, op.getLoc());
  sums = addOverLanes(builder, op.getLoc(), math.constant32(-1), sums,
                      layout.chunksPerWarp, conv::kWarpSize);
  math.guard(isFirstGroup, [&] { storePieces(math, op, sums, column); });
}

std::unique_ptr<HelperSums> conv::makeRowSums(OpBuilder &builder, Location loc,
                                              ArrayRef<int64_t> tile,
                                              int64_t elementBytes,
                                              VectorType tileSums) {
  auto layout = RowSumLayout::get(tile[0], tile[1], elementBytes);
  if (!layout)
    return nullptr;
  return std::make_unique<RowSums>(
      builder, loc, *layout, convmlir::kChunkBytes / elementBytes, tileSums);
}
