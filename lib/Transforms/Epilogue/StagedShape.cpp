//===- StagedShape.cpp - how much of a result is staged -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedShape.h"

#include "Ring/GroupedTiles.h"
#include "conv/Geometry/TmaView.h"
#include "conv/Schedule/Resources.h"

using namespace mlir;
using namespace mlir::conv;

/// Bits of the elements that `stmatrix` moves.
static constexpr int64_t kMatrixBits = 16;

/// Each stride phase has a tensor map of its own: a kernel has room for some.
static constexpr size_t kMostMaps = 16;

StagedShape::StagedShape(ScatterOp op, const KernelTiles &tiles)
    : op(op), schedule(tiles.schedule), layout(tiles.layout),
      destType(cast<MemRefType>(op.getDest().getType())),
      part(getStagedRows(schedule), getStagedColumns(schedule),
           getElementBytes()) {}

int64_t StagedShape::getBytes() const {
  return part.getRows() * part.getColumns() * getElementBytes();
}

int64_t StagedShape::getBytesWithScratch() const {
  return getBytes() +
         getScratchRows(schedule) * part.getColumns() * getElementBytes();
}

bool StagedShape::isWhole() const {
  return part.getRows() == layout.getWarpgroupM() &&
         part.getColumns() ==
             (layout.isSwapped() ? layout.getWarpgroupN() : layout.getTileN());
}

bool StagedShape::isImage() {
  return hasImageGroups(op.getView(), destType.getShape());
}

bool StagedShape::isBox() {
  return isImage() || (schedule.getWindow() && op.getView().getNumTaps() == 1);
}

/// The positions and channels that the warpgroup's rows are.
SmallVector<int64_t> StagedShape::getBox() {
  if (isImage())
    return {part.getRows(), part.getColumns()};
  int64_t columns = std::min(part.getRows(), op.getView().getRows().back());
  SmallVector<int64_t> box = {columns, part.getColumns()};
  if (op.getView().getSpatialRank() > 1)
    box.insert(box.begin(), part.getRows() / columns);
  return box;
}

bool StagedShape::isCopiedByTma() {
  int64_t bytes = getElementBytes();
  SmallVector<ViewAttr> views = op.getAllViews();
  if (op.getChannelsFirst() ||
      (op.getView().getRowGroups() > 1 && !isImage()) ||
      views.size() > kMostMaps || layout.hasTaps())
    return false;
  int64_t groups = op.getView().getGroups();
  // What the tile has of the next group must not be stored. A map of tiles ends
  // where a group does, if one part has all columns.
  bool passesGroup =
      groups > 1 &&
      destType.getShape().back() / groups % layout.getTileN() != 0;
  if (passesGroup && (isBox() || part.getColumns() != layout.getTileN()))
    return false;
  if (isBox())
    return bool(convmlir::getTmaBoxView(
        destType.getShape().vec(), ArrayRef<int64_t>(getBox()).vec(), bytes));
  return llvm::all_of(views, [&](ViewAttr view) {
    convmlir::Result<convmlir::TmaView> tma = convmlir::getTmaStoreView(
        view.getMatrixView(destType.getShape()), view.getGroups(), bytes,
        part.getRows(), part.getColumns());
    return bool(tma);
  });
}

bool StagedShape::hasMatrices() const {
  return destType.getElementTypeBitWidth() == kMatrixBits;
}
