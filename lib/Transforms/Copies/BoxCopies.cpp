//===- BoxCopies.cpp - boxes of tensors to bulk tensor copies -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `engine.load_box`, `engine.store_box`. Output: `engine.tma_load` and
// `engine.tma_store` in tiled mode, through a map of the whole tensor.
//
//===----------------------------------------------------------------------===//

#include "BoxCopies.h"

#include "Support/TileChunks.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/RawRows.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::TmaView;

bool conv::isBoxCopy(Operation *op) { return isa<LoadBoxOp, StoreBoxOp>(op); }

/// The map of a tensor through which TMA copies boxes of this type.
static FailureOr<Value> getBoxMap(Operation *op, Value tensor, Value box,
                                  KernelTensorMaps &maps) {
  auto type = cast<MemRefType>(tensor.getType());
  auto boxType = cast<MemRefType>(box.getType());
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return op->emitOpError() << "needs a dense tensor, but has " << type;
  auto load = dyn_cast<LoadBoxOp>(op);
  bool isDense = load ? load.getDense() : cast<StoreBoxOp>(op).getDense();
  bool isSkewed = load && load.getSkewed();
  auto *getView = isDense ? convmlir::getTmaDenseView : convmlir::getTmaBoxView;
  std::vector<int64_t> shape = type.getShape().vec();
  std::vector<int64_t> extents = boxType.getShape().vec();
  convmlir::Result<TmaView> view =
      isSkewed ? convmlir::getTmaSkewedView(shape, extents)
               : getView(shape, extents, type.getElementTypeBitWidth() / 8);
  if (!view)
    return op->emitOpError() << "cannot be made by TMA: " << view.error();
  return maps.getMap(op, tensor, *view);
}

/// Innermost dimension first, as TMA has them.
static SmallVector<Value> reverse(ValueRange coordinates) {
  return SmallVector<Value>(llvm::reverse(coordinates));
}

static LogicalResult lowerLoad(LoadBoxOp op, KernelTensorMaps &maps) {
  FailureOr<Value> map = getBoxMap(op, op.getSource(), op.getDest(), maps);
  if (failed(map))
    return failure();
  Value dest = getFlatView(op.getDest());
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  auto load = [&](Value element, ArrayRef<Value> coordinates) {
    TmaLoadOp::create(builder, op.getLoc(), *map, coordinates,
                      /*offsets=*/ValueRange(), dest, element, op.getBarriers(),
                      op.getSlot());
  };
  SmallVector<Value> coordinates = reverse(op.getCoordinates());
  if (op.getSkewed()) {
    auto source = cast<MemRefType>(op.getSource().getType());
    convmlir::SkewedLines lines{source.getShape().back()};
    coordinates[1] = math.div(coordinates[1], lines.getClasses());
    coordinates.insert(coordinates.begin() + 1, math.constant(0));
  }
  if (op.getDense())
    load(math.constant(0), coordinates);
  else
    forEachPanel(math, getPanelTile(op.getDest()), coordinates, load);
  op.erase();
  return success();
}

static LogicalResult lowerStore(StoreBoxOp op, KernelTensorMaps &maps) {
  FailureOr<Value> map = getBoxMap(op, op.getDest(), op.getSource(), maps);
  if (failed(map))
    return failure();
  Value source = getFlatView(op.getSource());
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  auto store = [&](Value element, ArrayRef<Value> coordinates) {
    TmaStoreOp::create(builder, op.getLoc(), source, element, *map, coordinates,
                       /*im2col=*/false);
  };
  SmallVector<Value> coordinates = reverse(op.getCoordinates());
  if (op.getDense())
    store(math.constant(0), coordinates);
  else
    forEachPanel(math, getPanelTile(op.getSource()), coordinates, store);
  op.erase();
  return success();
}

LogicalResult conv::lowerBoxCopy(Operation *op, KernelTensorMaps &maps) {
  if (auto load = dyn_cast<LoadBoxOp>(op))
    return lowerLoad(load, maps);
  return lowerStore(cast<StoreBoxOp>(op), maps);
}
