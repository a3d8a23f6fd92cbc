//===- GroupedTiles.cpp - tiles of groups in whole tensors ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupedTiles.h"

#include "IndexMath.h"

using namespace mlir;
using namespace mlir::conv;

bool conv::hasImageGroups(ViewAttr view, ArrayRef<int64_t> shape) {
  return view.getRowGroups() > 1 && view.getRowGroups() == shape.front() &&
         view.getGroups() == 1 && view.getSpatialRank() == 1 &&
         view.getStrips() == 1 && view.getRows().front() == shape[1] &&
         view.getNumTaps() == 1 && view.getStride().front() == 1 &&
         view.getOffset().front() == 0;
}

/// Offsets have the tap between row and column, unless it was left out.
SmallVector<Value> conv::getImageCoordinates(ValueRange offsets) {
  return {offsets[0], offsets[1], offsets.back()};
}

UngroupedTile conv::dropGroups(OpBuilder &builder, Im2colOp copy,
                               ValueRange offsets) {
  UngroupedTile tile;
  ViewAttr view = copy.getView();
  SmallVector<int64_t> shape = view.getMatrixShape(copy.getTensorShape());
  int64_t channels = shape.back();
  for (ViewAttr ofPhase : copy.getAllViews())
    tile.views.push_back(ViewAttr::get(
        builder.getContext(), ofPhase.getRows(), ofPhase.getTaps(),
        ofPhase.getStride(), ofPhase.getStep(), ofPhase.getOffset(),
        /*groups=*/1, /*rowGroups=*/1, ofPhase.getStrips()));
  IndexMath math(builder, copy.getLoc());
  auto within = [&](Value offset, Value group, int64_t extent) {
    return math.add(math.mul(group, extent), offset);
  };
  Value row = offsets[view.getRowDim()], channel = offsets.back();
  if (view.getRowGroups() > 1)
    row = within(row, offsets.front(), shape[view.getRowDim()]);
  if (view.getGroups() > 1)
    channel = within(channel, offsets.drop_back().back(), channels);
  tile.offsets = {row, offsets[view.getTapDim()], channel};
  return tile;
}

bool conv::isReduced(vector::ContractionOp op, bool isA, unsigned dim) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return !maps[2].isFunctionOfDim(maps[isA ? 0 : 1].getDimPosition(dim));
}

/// `extent` of a group, of which the tile has `size`.
static LogicalResult verifyEnd(Im2colOp copy, StringRef what, int64_t size,
                               int64_t extent) {
  if (extent % size == 0)
    return success();
  return copy.emitOpError()
         << "of " << size << " " << what << " reaches from one group of "
         << extent << " into the next, which TMA cannot leave out";
}

LogicalResult conv::verifyGroups(GemmKNest &nest) {
  vector::ContractionOp contraction = nest.contraction;
  // What has channels first is zero past the end of an image.
  if (llvm::any_of(nest.copies, [](Im2colOp copy) {
        return hasImageGroups(copy.getView(), copy.getTensorShape());
      }))
    return success();
  for (bool isA : {true, false}) {
    Value operand = isA ? contraction.getLhs() : contraction.getRhs();
    Value tile = getOperandRead(operand).getBase();
    unsigned channelDim = cast<VectorType>(operand.getType()).getRank() - 1;
    for (Im2colOp copy : nest.copies) {
      ViewAttr view = copy.getView();
      if (copy.getDest() != tile)
        continue;
      auto size = cast<MemRefType>(tile.getType()).getShape();
      SmallVector<int64_t> shape = view.getMatrixShape(copy.getTensorShape());
      if (view.getRowGroups() > 1 && isReduced(contraction, isA, 0) &&
          failed(
              verifyEnd(copy, "rows", size.front(), shape[view.getRowDim()])))
        return failure();
      if (view.getGroups() > 1 && isReduced(contraction, isA, channelDim) &&
          failed(verifyEnd(copy, "channels", size.back(), shape.back())))
        return failure();
    }
  }
  return success();
}
