//===- LowerTileLoads.cpp - loads of tiles to bulk tensor copies ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-lower-tile-loads. Input: kernels with `conv.load_tile` of their
// arguments, and their launches. Output: one `conv.tma_load` for each panel of
// a tile; tensor maps as arguments of the kernels, made beside the launches.
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

/// One `conv.load_tile`, while it is lowered.
class TileLoad {
public:
  TileLoad(LoadTileOp op, const TmaView &tma, Value map)
      : op(op), tma(tma), map(map) {}
  void lower();

private:
  /// Values of TmaView::Place.
  struct Place {
    SmallVector<Value> coordinates, offsets;
  };
  SmallVector<Value> getRowCoordinates();
  Place getPlace(IndexMath &math, ArrayRef<Value> rowCoordinates);

  LoadTileOp op;
  const TmaView &tma;
  Value map;
};

} // namespace

/// Coordinates of the tile's first row but the channel's, which every load of a
/// gemm-k loop shares: computed where the row is known.
SmallVector<Value> TileLoad::getRowCoordinates() {
  OpBuilder builder(op);
  Value row = op.getOffsets().front();
  setInsertionPointAfter(builder, row);
  IndexMath math(builder, op.getLoc());
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
TileLoad::Place TileLoad::getPlace(IndexMath &math,
                                   ArrayRef<Value> rowCoordinates) {
  OperandRange offsets = op.getOffsets();
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

void TileLoad::lower() {
  SmallVector<Value> rowCoordinates = getRowCoordinates();
  Value dest = getFlatView(op.getDest());
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  Place place = getPlace(math, rowCoordinates);
  Value channel = place.coordinates.front();
  PanelTile tile = getPanelTile(op.getDest());
  for (int64_t panel = 0; panel < tile.getNumPanels(); ++panel) {
    place.coordinates.front() =
        math.add(channel, panel * tile.getPanelColumns());
    TmaLoadOp::create(builder, op.getLoc(), map, place.coordinates,
                      place.offsets, dest,
                      math.constant(panel * tile.getPanelElements()),
                      op.getBarriers(), op.getSlot());
  }
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
    SmallVector<LoadTileOp> loads;
    kernel.walk([&](LoadTileOp op) { loads.push_back(op); });
    if (loads.empty())
      return success();
    KernelTensorMaps maps(kernel, getOperation());
    for (LoadTileOp op : loads) {
      PanelTile tile = getPanelTile(op.getDest());
      auto tma = getTmaViewOf(op, op.getSource(), op.getView(), tile);
      if (failed(tma))
        return failure();
      FailureOr<Value> map = maps.getMap(op, op.getSource(), *tma);
      if (failed(map))
        return failure();
      TileLoad(op, *tma, *map).lower();
    }
    maps.eraseUnusedBuffers();
    return success();
  }
};
} // namespace
