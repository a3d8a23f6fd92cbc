//===- RawWindows.cpp - windows of tensors with channels first ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output: `conv.load_box … dense` of the rows of a window, as they lie, and
// `conv.transpose_rows`, which makes the window.
//
//===----------------------------------------------------------------------===//

#include "RawWindows.h"

#include "TileChunks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using convmlir::RawWindow;
using convmlir::WindowTile;

static constexpr int64_t kUnit = RawWindow::kUnit;

FailureOr<RawWindows> RawWindows::get(Im2colOp copy, const WindowTile &tile) {
  convmlir::MatrixView view =
      copy.getView().getMatrixView(copy.getTensorShape());
  auto raw = convmlir::getRawWindow(view, tile);
  if (!raw)
    return copy.emitOpError() << "has no window: " << raw.error();
  RawWindows result(copy, *raw);
  // Positions of the first line from one tile to the next.
  int64_t pitch = raw->isFlat ? raw->width : 1;
  int dim = raw->isFlat ? 0 : view.spatialRank - 1;
  if (tile.tile[dim] * pitch % kUnit == 0) {
    int64_t first = view.offset[dim] * pitch % kUnit;
    result.inFront = (first + kUnit) % kUnit;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Innermost dimensions of the tensor.
SmallVector<int64_t> RawWindows::getBoxShape() const {
  auto tile =
      cast<MemRefType>(const_cast<Im2colOp &>(copy).getDest().getType());
  SmallVector<int64_t> shape = {tile.getShape().back()};
  if (raw.runs > 1)
    shape.push_back(1);
  shape.push_back(raw.boxPositions);
  return shape;
}

int64_t RawWindows::getBytes() const {
  return raw.getBytes(getBoxShape().front());
}

void RawWindows::createMemory(OpBuilder &builder, Location loc) {
  auto tile = cast<MemRefType>(copy.getDest().getType());
  auto box = MemRefType::get(getBoxShape(), tile.getElementType(), AffineMap(),
                             tile.getMemorySpace());
  memory = createRing(builder, loc, box, raw.getBoxes());
  source = copy.getSource();
  if (!raw.isFlat)
    return;
  OpBuilder::InsertionGuard guard(builder);
  setInsertionPointAfter(builder, source);
  SmallVector<ReassociationIndices> dims = {{0}, {1}, {2, 3}};
  source = memref::CollapseShapeOp::create(builder, loc, source, dims);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// The position of a run's first line.
Value RawWindows::getStart(IndexMath &math, ValueRange coordinates) const {
  return raw.isFlat ? math.mul(coordinates[1], raw.width)
                    : *std::prev(coordinates.end(), 2);
}

/// Positions between the beginning of a run's first box and it.
Value RawWindows::getInFront(IndexMath &math, ValueRange coordinates) const {
  return inFront ? math.constant(*inFront)
                 : math.bitAnd(getStart(math, coordinates), kUnit - 1);
}

void RawWindows::emitLoad(IndexMath &math, ValueRange coordinates, Value full,
                          Value slot) const {
  OpBuilder &builder = math.getBuilder();
  Location loc = math.getLoc();
  Value start =
      math.sub(getStart(math, coordinates), getInFront(math, coordinates));
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes,
      strides(offsets.size(), builder.getIndexAttr(1));
  for (int64_t extent : type.getShape())
    sizes.push_back(builder.getIndexAttr(extent));
  sizes.front() = builder.getIndexAttr(1);
  for (int64_t box = 0; box < raw.getBoxes(); ++box) {
    offsets.front() = builder.getIndexAttr(box);
    MemRefType boxType = memref::SubViewOp::inferRankReducedResultType(
        type.getShape().drop_front(), type, offsets, sizes, strides);
    Value dest = memref::SubViewOp::create(builder, loc, boxType, memory,
                                           offsets, sizes, strides);
    SmallVector<Value> place = {coordinates.front(), coordinates.back()};
    if (raw.runs > 1)
      place.push_back(math.add(coordinates[1], box / raw.boxesPerRun));
    place.push_back(math.add(start, box % raw.boxesPerRun * raw.boxPositions));
    markProducer(LoadBoxOp::create(builder, loc, source, place, dest, full,
                                   slot, /*to_tf32=*/false, /*dense=*/true));
  }
}

void RawWindows::emitTransposition(IndexMath &math, ValueRange coordinates,
                                   Value window, int64_t warps) const {
  markProducers(TransposeRowsOp::create(math.getBuilder(), math.getLoc(),
                                        memory, getInFront(math, coordinates),
                                        window, raw.rows, raw.width,
                                        raw.column),
                warps);
}
