//===- LowerTileLoads.cpp - copies of tiles to bulk tensor copies ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-lower-tile-loads. Input: kernels with `conv.load_tile` and
// `conv.store_tile` of their arguments, and their launches. Output: one
// `conv.tma_load` or `conv.tma_store` for each panel of a tile; tensor maps as
// arguments of the kernels, made beside the launches.
//
//===----------------------------------------------------------------------===//

#include "conv/Transforms/Passes.h"

#include "KernelTensorMaps.h"
#include "TileChunks.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVLOWERTILELOADS
#include "conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::TmaView;

namespace {

/// One copy of a tile, while it is lowered.
class TileCopy {
public:
  TileCopy(Operation *op, OperandRange offsets, const TmaView &tma)
      : op(op), offsets(offsets), tma(tma) {}

  /// Values of TmaView::Place.
  struct Place {
    SmallVector<Value> coordinates, offsets;
  };
  SmallVector<Value> getRowCoordinates(OpBuilder &builder);
  Place getPlace(IndexMath &math, ArrayRef<Value> rowCoordinates);

private:
  Operation *op;
  OperandRange offsets; ///< Row, tap, (group,) channel.
  const TmaView &tma;
};

} // namespace

/// Coordinates of the tile's first row but the channel's.
SmallVector<Value> TileCopy::getRowCoordinates(OpBuilder &builder) {
  Value row = offsets.front();
  IndexMath math(builder, op->getLoc());
  SmallVector<Value> coordinates;
  for (const TmaView::Dimension &dim : tma.dimensions) {
    Value index = math.rem(row, dim.rows);
    row = math.div(row, dim.rows);
    coordinates.push_back(math.add(math.mul(index, dim.stride), dim.base));
  }
  coordinates.push_back(row);
  return coordinates;
}

/// Of the first panel: TmaView::getPlace as operations.
TileCopy::Place TileCopy::getPlace(IndexMath &math,
                                   ArrayRef<Value> rowCoordinates) {
  Value channel = offsets.back();
  if (offsets.size() == 4)
    channel = math.add(channel, math.mul(offsets[2], tma.groupChannels));

  Place place;
  place.coordinates.push_back(channel);
  Value tap = offsets[1];
  for (auto [dim, coordinate] : llvm::zip(tma.dimensions, rowCoordinates)) {
    Value distance =
        math.add(math.mul(math.rem(tap, dim.taps), dim.step), dim.tapBase);
    tap = math.div(tap, dim.taps);
    if (tma.isIm2col)
      place.offsets.push_back(distance);
    place.coordinates.push_back(tma.isIm2col ? coordinate
                                             : math.add(coordinate, distance));
  }
  place.coordinates.push_back(rowCoordinates.back());
  return place;
}

/// Calls `create` for every panel of the tile with its first element and the
/// coordinates of its box.
static void
forEachPanel(IndexMath &math, const PanelTile &tile,
             ArrayRef<Value> coordinates,
             function_ref<void(Value element, ArrayRef<Value>)> create) {
  SmallVector<Value> moved(coordinates);
  for (int64_t panel = 0; panel < tile.getNumPanels(); ++panel) {
    moved.front() =
        math.add(coordinates.front(), panel * tile.getPanelColumns());
    create(math.constant(panel * tile.getPanelElements()), moved);
  }
}

/// What depends on the row is computed where the row is known: the loads of a
/// gemm-k loop share it.
static void lowerLoad(LoadTileOp op, const TmaView &tma, Value map) {
  TileCopy copy(op, op.getOffsets(), tma);
  OpBuilder builder(op);
  setInsertionPointAfter(builder, op.getOffsets().front());
  SmallVector<Value> rowCoordinates = copy.getRowCoordinates(builder);
  Value dest = getFlatView(op.getDest());

  builder.setInsertionPoint(op);
  IndexMath math(builder, op.getLoc());
  TileCopy::Place place = copy.getPlace(math, rowCoordinates);
  forEachPanel(math, getPanelTile(op.getDest()), place.coordinates,
               [&](Value element, ArrayRef<Value> coordinates) {
                 TmaLoadOp::create(builder, op.getLoc(), map, coordinates,
                                   place.offsets, dest, element,
                                   op.getBarriers(), op.getSlot());
               });
  op.erase();
}

/// Computes all at the store: nothing of it takes registers before.
static void lowerStore(StoreTileOp op, const TmaView &tma, Value map) {
  TileCopy copy(op, op.getOffsets(), tma);
  Value source = getFlatView(op.getSource());
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  TileCopy::Place place = copy.getPlace(math, copy.getRowCoordinates(builder));
  forEachPanel(math, getPanelTile(op.getSource()), place.coordinates,
               [&](Value element, ArrayRef<Value> coordinates) {
                 TmaStoreOp::create(builder, op.getLoc(), source, element, map,
                                    coordinates, tma.isIm2col);
               });
  op.erase();
}

namespace {
struct LowerTileLoads : conv::impl::ConvLowerTileLoadsBase<LowerTileLoads> {
  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation().walk([&](gpu::GPUFuncOp func) { kernels.push_back(func); });
    for (gpu::GPUFuncOp kernel : kernels)
      if (failed(lowerKernel(kernel)))
        return signalPassFailure();
  }

  LogicalResult lowerKernel(gpu::GPUFuncOp kernel) {
    SmallVector<Operation *> copies;
    kernel.walk([&](Operation *op) {
      if (isa<LoadTileOp, StoreTileOp>(op))
        copies.push_back(op);
    });
    if (copies.empty())
      return success();
    KernelTensorMaps maps(kernel, getOperation());
    for (Operation *op : copies)
      if (failed(lowerCopy(op, maps)))
        return failure();
    maps.eraseUnusedBuffers();
    return success();
  }

  static LogicalResult lowerCopy(Operation *op, KernelTensorMaps &maps) {
    auto load = dyn_cast<LoadTileOp>(op);
    auto store = dyn_cast<StoreTileOp>(op);
    Value tensor = load ? load.getSource() : store.getDest();
    Value tile = load ? load.getDest() : store.getSource();
    ViewAttr view = load ? load.getView() : store.getView();
    auto tma = getTmaViewOf(op, tensor, view, getPanelTile(tile), !load);
    if (failed(tma))
      return failure();
    FailureOr<Value> map = maps.getMap(op, tensor, *tma);
    if (failed(map))
      return failure();
    if (load)
      lowerLoad(load, *tma, *map);
    else
      lowerStore(store, *tma, *map);
    return success();
  }
};
} // namespace
