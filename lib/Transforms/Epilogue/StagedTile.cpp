//===- StagedTile.cpp - what a warpgroup stages of a result ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedTile.h"
#include "Support/Intervals.h"

#include "Ring/GroupedTiles.h"
#include "Ring/WindowCoordinates.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Resources.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::SharedTile;

StagedTile::StagedTile(ScatterOp op, TileDistribution &distribution,
                       PanelOrder order)
    : StagedShape(op, distribution), distribution(distribution),
      panel(part.getRows(), part.getPanelColumns(), getElementBytes()) {
  interleaved = order == PanelOrder::InterleavedIfPossible && canInterleave();
}

//===----------------------------------------------------------------------===//
// In the tensor
//===----------------------------------------------------------------------===//

bool StagedTile::canInterleave() {
  if (part.getNumPanels() == 1 || layout.isSwapped() ||
      op.getAllViews().size() > 1 || isBox() || !isCopiedByTma())
    return false;
  convmlir::Result<convmlir::TmaView> tma =
      convmlir::getTmaInterleavedStoreView(
          op.getView().getMatrixView(destType.getShape()),
          op.getView().getGroups(), getElementBytes(), part.getRows(),
          part.getColumns());
  return bool(tma);
}

Value StagedTile::dropScratch(OpBuilder &builder, Value staging) {
  if (getScratchRows(schedule) == 0)
    return staging;
  SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = {builder.getIndexAttr(part.getRows()),
                                     builder.getIndexAttr(part.getColumns())};
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  return memref::SubViewOp::create(builder, op.getLoc(), staging, offsets,
                                   sizes, strides);
}

Value StagedTile::viewAsBox(OpBuilder &builder, Value staging) {
  staging = dropScratch(builder, staging);
  SmallVector<int64_t> box = getBox();
  if (box.size() == 2)
    return staging;
  return memref::ExpandShapeOp::create(
      builder, op.getLoc(), box, staging,
      ArrayRef<ReassociationIndices>{{0, 1}, {2}});
}

SmallVector<Value> StagedTile::getOffsets(IndexMath &math,
                                          ValueRange tileOffsets,
                                          int64_t firstRow,
                                          int64_t firstColumn) {
  SmallVector<Value> offsets(tileOffsets);
  Value &row = offsets[op.getView().getRowDim()];
  TileDistribution::Part first = distribution.getPart(math);
  row = math.add(math.add(row, first.row), firstRow);
  offsets.back() =
      math.add(math.add(offsets.back(), first.column), firstColumn);
  return offsets;
}

SmallVector<Value> StagedTile::getBoxCoordinates(IndexMath &math,
                                                 ValueRange offsets) {
  if (isImage())
    return getImageCoordinates(offsets);
  ViewAttr view = op.getView();
  SmallVector<Value> coordinates =
      emitPosition(math, view, offsets[view.getRowDim()]);
  Value channel = offsets.back();
  if (view.getGroups() > 1)
    channel = math.add(channel,
                       math.mul(offsets[offsets.size() - 2],
                                destType.getShape().back() / view.getGroups()));
  coordinates.push_back(channel);
  return coordinates;
}

Value StagedTile::isPartThere(IndexMath &math, Value row, Value phase) {
  SmallVector<int64_t> rows;
  for (ViewAttr view : op.getAllViews())
    rows.push_back(view.getMatrixView(destType.getShape()).numRows());
  if (llvm::all_of(rows, [&](int64_t number) {
        return number % layout.getTileM() == 0;
      }))
    return Value();
  if (llvm::all_equal(rows))
    return math.isBelow(row, rows.front());
  return math.isBelow(row, lookUpEntry(math, phase, rows));
}

//===----------------------------------------------------------------------===//
// In shared memory
//===----------------------------------------------------------------------===//

/// The layout of fragments is that of the warps of one warpgroup.
Value StagedTile::getLane(IndexMath &math, Value thread) {
  Value row, column;
  if (hasMatrices()) {
    // `stmatrix` wants rows where `ldmatrix` wants those of A.
    auto origin = layout.getOperandOrigin(math, thread, Operand::A, Major::K);
    row = origin.row;
    column = math.mul(origin.chunk, FragmentLayout::kMatrix);
  } else {
    FragmentLayout::Origin origin = layout.getOrigin(math, thread);
    row = origin.row;
    column = origin.column;
  }
  if (interleaved) {
    Value inGroup = math.rem(row, PanelTile::kInterleavedRows);
    row = math.add(math.mul(math.sub(row, inGroup), part.getNumPanels()),
                   inGroup);
  }
  return math.sharedElementAt(panel, row, column);
}

/// These columns have bits that the lane's own do not have: the permutation
/// adds them without carry.
Value StagedTile::getElement(IndexMath &math, Value lane, int64_t row,
                             int64_t column) {
  int64_t inPanel = column % panel.getColumns();
  int64_t number = column / panel.getColumns();
  int64_t line = interleaved ? part.getInterleavedLine(row, number)
                             : number * part.getRows() + row;
  int64_t distance = line * panel.getColumns();
  return math.add(math.bitXor(lane, math.constant(inPanel)), distance);
}

/// Matrix 2 j + i has eight filters from 8 i on, for eight lines from 8 j on.
/// What lies between two rows of positions goes to the thread's scratch.
Value StagedTile::getTransposedElement(IndexMath &math, Value thread, int64_t m,
                                       int64_t n) {
  constexpr int64_t matrix = FragmentLayout::kMatrix;
  Value warp = math.div(thread, kWarpSize), lane = math.rem(thread, kWarpSize);
  Value number = math.div(lane, matrix);
  Value line = math.add(
      math.add(math.mul(math.div(number, 2), matrix), math.rem(lane, matrix)),
      n * FragmentLayout::kBlockN);
  Value column = math.add(math.mul(warp, FragmentLayout::kBlockM),
                          math.mul(math.rem(number, 2), matrix));
  FragmentLayout::Position at = layout.getPosition(math, line);
  Value element = math.add(math.sharedElementAt(panel, at.position, column),
                           m * part.getPanelElements());
  Value scratch =
      math.add(math.mul(thread, matrix), part.getRows() * part.getColumns());
  return math.select(at.exists, element, scratch);
}
