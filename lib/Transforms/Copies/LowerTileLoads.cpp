//===- LowerTileLoads.cpp - copies of tiles to bulk tensor copies ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-lower-tile-loads. Input: kernels with `engine.load_tile`,
// `engine.store_tile`, `engine.load_box` and `engine.store_box` of their
// arguments, and their launches. Output: one `engine.tma_load` or
// `engine.tma_store` for each panel of a tile or box; tensor maps as arguments
// of the kernels, made beside the launches.
//
//===----------------------------------------------------------------------===//

#include "Support/Intervals.h"
#include "conv/Transforms/Copies/Passes.h"

#include "BoxCopies.h"
#include "KernelTensorMaps.h"
#include "Ring/OuterParts.h"
#include "Support/TileChunks.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVLOWERTILELOADS
#include "conv/Transforms/Copies/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::TmaView;

namespace {

/// One copy of a tile, while it is lowered. What differs between its phases is
/// looked up by the phase.
class TileCopy {
public:
  TileCopy(LoadTileOp op, ArrayRef<TmaView> views)
      : op(op), view(op.getView()), phase(op.getPhase()), part(op.getPart()),
        rowOffset(op.getRowOffset()), offsets(op.getOffsets()), views(views) {}
  TileCopy(StoreTileOp op, ArrayRef<TmaView> views)
      : op(op), view(op.getView()), phase(op.getPhase()),
        rowOffset(op.getRowOffset()), offsets(op.getOffsets()), views(views) {}

  /// Values of TmaView::Place.
  struct Place {
    SmallVector<Value> coordinates, offsets;
  };
  /// Where row and phase of the tile are known.
  void setInsertionPoint(OpBuilder &builder) const;
  SmallVector<Value> getRowCoordinates(IndexMath &math) const;
  Place getPlace(IndexMath &math, ArrayRef<Value> rowCoordinates) const;
  /// The map of the phase.
  FailureOr<Value> getMap(KernelTensorMaps &maps, Value tensor) const;

private:
  using Dimension = TmaView::Dimension;
  Value lookUp(IndexMath &math, size_t dim, int64_t Dimension::*field) const;
  /// Divides `value` by a field; returns the remainder.
  Value divide(IndexMath &math, Value &value, size_t dim,
               int64_t Dimension::*field) const;

  Operation *op;
  ViewAttr view;
  Value phase;
  Value part; ///< Of the tile's rows; null where all are copied.
  Value rowOffset;
  OperandRange offsets; ///< (Row group,) row, tap, (group,) channel.
  ArrayRef<TmaView> views;
};

} // namespace

void TileCopy::setInsertionPoint(OpBuilder &builder) const {
  setInsertionPointAfter(builder, rowOffset);
  moveInsertionPointBehind(builder, phase);
  moveInsertionPointBehind(builder, part);
}

Value TileCopy::lookUp(IndexMath &math, size_t dim,
                       int64_t Dimension::*field) const {
  SmallVector<int64_t> table;
  for (const TmaView &tma : views)
    table.push_back(tma.dimensions[dim].*field);
  if (llvm::all_equal(table))
    return math.constant(table.front());
  return lookUpEntry(math, phase, table);
}

Value TileCopy::divide(IndexMath &math, Value &value, size_t dim,
                       int64_t Dimension::*field) const {
  Value whole = value, divisor = lookUp(math, dim, field);
  if (std::optional<int64_t> number = getConstantIntValue(divisor)) {
    Value remainder = math.rem(whole, *number);
    value = math.div(whole, *number);
    return remainder;
  }
  value = math.div(whole, divisor);
  return math.sub(whole, math.mul(value, divisor));
}

/// Coordinates of the first row but the channel's. A part that begins past the
/// matrix is in an image past the last one, at a place that images have. Where
/// the batch is a spatial dimension that is outside of the pixel box: such
/// rows, which nothing needs, are those of the last image.
SmallVector<Value> TileCopy::getRowCoordinates(IndexMath &math) const {
  Value row = rowOffset;
  SmallVector<Value> coordinates;
  const TmaView &first = views.front();
  if (part)
    row = math.add(row, math.mul(part, first.boxRows));
  for (size_t d = 0; d < first.dimensions.size(); ++d) {
    Value index = divide(math, row, d, &Dimension::rows);
    coordinates.push_back(math.add(math.mul(index, first.dimensions[d].stride),
                                   lookUp(math, d, &Dimension::base)));
  }
  if (first.hasGroups && first.isIm2col)
    row = arith::MinUIOp::create(
        math.getBuilder(), op->getLoc(), row,
        math.constant(*std::prev(first.extents.end(), 2) - 1));
  coordinates.push_back(row);
  return coordinates;
}

/// Of the first panel: TmaView::getPlace as operations.
TileCopy::Place TileCopy::getPlace(IndexMath &math,
                                   ArrayRef<Value> rowCoordinates) const {
  const TmaView &first = views.front();
  Value channel = offsets.back(), group;
  if (view.getGroups() > 1)
    group = *std::prev(offsets.end(), 2);
  else if (view.getRowGroups() > 1)
    group = offsets.front();
  if (group && !first.hasGroups)
    channel = math.add(channel, math.mul(group, first.groupChannels));
  Place place;
  place.coordinates.push_back(channel);
  Value tap = offsets[view.getTapDim()];
  for (size_t d = 0; d < first.dimensions.size(); ++d) {
    Value index = divide(math, tap, d, &Dimension::taps);
    Value distance = math.add(math.mul(index, first.dimensions[d].step),
                              lookUp(math, d, &Dimension::tapBase));
    if (first.isIm2col)
      place.offsets.push_back(distance);
    place.coordinates.push_back(first.isIm2col
                                    ? rowCoordinates[d]
                                    : math.add(rowCoordinates[d], distance));
  }
  place.coordinates.push_back(rowCoordinates.back());
  if (first.hasGroups) {
    place.coordinates.push_back(group);
    if (first.isIm2col)
      place.offsets.push_back(math.constant(0));
  }
  return place;
}

FailureOr<Value> TileCopy::getMap(KernelTensorMaps &maps, Value tensor) const {
  SmallVector<Value> ofPhases;
  for (const TmaView &tma : views) {
    FailureOr<Value> map = maps.getMap(op, tensor, tma);
    if (failed(map))
      return failure();
    ofPhases.push_back(*map);
  }
  if (llvm::all_equal(ofPhases))
    return ofPhases.front();
  OpBuilder builder(op);
  setInsertionPoint(builder);
  IndexMath math(builder, op->getLoc());
  Value map = ofPhases.front();
  for (size_t i = 1; i < ofPhases.size(); ++i) {
    Value isPhase =
        arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::eq,
                              phase, math.constant(i));
    map = math.select(isPhase, ofPhases[i], map);
  }
  return map;
}

/// What depends on the row is computed where the row is known: the loads of a
/// gemm-k loop share it. `mapOfRest` is for a tile that reaches past the last
/// row, where that is not copied; or null.
static void lowerLoad(LoadTileOp op, const TileCopy &copy, Value map,
                      Value mapOfRest) {
  OpBuilder builder(op);
  copy.setInsertionPoint(builder);
  IndexMath before(builder, op.getLoc());
  SmallVector<Value> rowCoordinates = copy.getRowCoordinates(before);
  PanelTile tile = getPanelTile(op.getDest());
  Value partElement =
      op.getPart()
          ? before.mul(op.getPart(), tile.getPanelElements() / op.getParts())
          : before.constant(0);
  Value dest = getFlatView(op.getDest());

  builder.setInsertionPoint(op);
  IndexMath math(builder, op.getLoc());
  TileCopy::Place place = copy.getPlace(math, rowCoordinates);
  SmallVector<int64_t> shape = op.getView().getMatrixShape(
      cast<MemRefType>(op.getSource().getType()).getShape());
  auto load = [&](Value ofRows) {
    int64_t panel = 0;
    forEachPanel(math, tile, place.coordinates,
                 [&](Value element, ArrayRef<Value> coordinates) {
                   Value isInside;
                   if (op.getInnerPanels())
                     isInside =
                         emitIsInside(math, tile, panel++,
                                      op.getOffsets().back(), shape.back());
                   math.guard(isInside, [&] {
                     TmaLoadOp::create(
                         builder, op.getLoc(), ofRows, coordinates,
                         place.offsets, dest, math.add(element, partElement),
                         op.getBarriers(), op.getSlot(), op.getWorkgroups());
                   });
                 });
  };
  if (!mapOfRest) {
    load(map);
  } else {
    Value hasAll = emitHasAllRows(math, op.getRowOffset(), tile.getRows(),
                                  shape[op.getView().getRowDim()]);
    auto branch = scf::IfOp::create(builder, op.getLoc(), hasAll,
                                    /*withElseRegion=*/true);
    for (auto [block, ofRows] : {std::pair(branch.thenBlock(), map),
                                 std::pair(branch.elseBlock(), mapOfRest)}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(block);
      load(ofRows);
    }
  }
  op.erase();
}

/// TmaView::getPlace of interleaved panels, from a matrix's channel and row.
static SmallVector<Value> getInterleavedPlace(IndexMath &math,
                                              const TmaView &view,
                                              ArrayRef<Value> coordinates) {
  Value zero = math.constant(0);
  return {zero, zero, math.div(coordinates.front(), view.boxColumns),
          math.div(coordinates.back(), PanelTile::kInterleavedRows)};
}

/// Computes all at the store: nothing of it takes registers before.
static void lowerStore(StoreTileOp op, const TileCopy &copy, Value map,
                       const TmaView &view) {
  Value source = getFlatView(op.getSource());
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  TileCopy::Place place = copy.getPlace(math, copy.getRowCoordinates(math));
  auto store = [&](Value element, ArrayRef<Value> coordinates) {
    TmaStoreOp::create(builder, op.getLoc(), source, element, map, coordinates,
                       view.isIm2col);
  };
  if (view.isInterleaved)
    store(math.constant(0), getInterleavedPlace(math, view, place.coordinates));
  else
    forEachPanel(math, getPanelTile(op.getSource()), place.coordinates, store);
  op.erase();
}

namespace {
struct LowerTileLoads : conv::impl::ConvLowerTileLoadsBase<LowerTileLoads> {
  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation().walk([&](gpu::GPUFuncOp func) { kernels.push_back(func); });
    KernelLaunches launches = findLaunches(getOperation());
    for (gpu::GPUFuncOp kernel : kernels)
      if (failed(lowerKernel(kernel, launches[kernel])))
        return signalPassFailure();
  }

  static LogicalResult lowerKernel(gpu::GPUFuncOp kernel,
                                   ArrayRef<gpu::LaunchFuncOp> launches) {
    SmallVector<Operation *> copies;
    kernel.walk([&](Operation *op) {
      if (isa<LoadTileOp, StoreTileOp>(op) || isBoxCopy(op))
        copies.push_back(op);
    });
    if (copies.empty())
      return success();
    KernelTensorMaps maps(kernel, launches);
    for (Operation *op : copies)
      if (failed(isBoxCopy(op) ? lowerBoxCopy(op, maps) : lowerCopy(op, maps)))
        return failure();
    maps.eraseUnusedBuffers();
    return success();
  }

  static LogicalResult lowerCopy(Operation *op, KernelTensorMaps &maps) {
    if (auto load = dyn_cast<LoadTileOp>(op))
      return lowerLoadCopy(load, maps);
    auto store = cast<StoreTileOp>(op);
    auto kind = store.getInterleaved() ? TileCopyKind::InterleavedStore
                                       : TileCopyKind::Store;
    auto views =
        getTmaViewsOf(store, store.getDest(), store.getAllViews(),
                      getPanelTile(store.getSource(), /*parts=*/1), kind);
    if (failed(views))
      return failure();
    TileCopy copy(store, *views);
    FailureOr<Value> map = copy.getMap(maps, store.getDest());
    if (failed(map))
      return failure();
    lowerStore(store, copy, *map, views->front());
    return success();
  }

  static LogicalResult lowerLoadCopy(LoadTileOp op, KernelTensorMaps &maps) {
    PanelTile tile = getPanelTile(op.getDest(), op.getParts());
    auto getViews = [&](int64_t rows) {
      auto type = cast<MemRefType>(op.getDest().getType());
      return getTmaViewsOf(
          op, op.getSource(), op.getAllViews(),
          PanelTile(rows, tile.getColumns(), type.getElementTypeBitWidth() / 8),
          TileCopyKind::Load);
    };
    auto type = cast<MemRefType>(op.getSource().getType());
    int64_t rows =
        op.getView().getMatrixShape(type.getShape())[op.getView().getRowDim()];
    int64_t rest = op.getInnerRows() ? rows % tile.getRows() : 0;
    // The only tile has as many rows as the last one of several.
    bool isOnly = rest > 0 && rows < tile.getRows();
    auto views = getViews(isOnly ? rest : tile.getRows());
    if (failed(views))
      return failure();
    TileCopy copy(op, *views);
    FailureOr<Value> map = copy.getMap(maps, op.getSource());
    if (failed(map))
      return failure();
    FailureOr<Value> mapOfRest = Value();
    if (rest > 0 && !isOnly) {
      auto viewsOfRest = getViews(rest);
      if (failed(viewsOfRest))
        return failure();
      mapOfRest = TileCopy(op, *viewsOfRest).getMap(maps, op.getSource());
    }
    if (failed(mapOfRest))
      return failure();
    lowerLoad(op, copy, *map, *mapOfRest);
    return success();
  }
};
} // namespace
