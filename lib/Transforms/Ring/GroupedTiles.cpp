//===- GroupedTiles.cpp - tiles of groups in whole tensors ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupedTiles.h"

#include "Support/IndexMath.h"

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

SmallVector<Value> conv::getImageCoordinates(IndexMath &math, Im2colOp copy,
                                             ValueRange offsets) {
  if (hasImageGroups(copy.getView(), copy.getTensorShape()))
    return getImageCoordinates(offsets);
  return {math.constant(0), offsets.front(), offsets.back()};
}

LoadedTile conv::dropGroups(OpBuilder &builder, Im2colOp copy,
                            ValueRange offsets) {
  LoadedTile tile;
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

/// What blocks of gemm-k have of a group in a copy, and the group's extent.
namespace {
struct ReducedPart {
  StringRef what;
  int64_t size, extent;
  bool passesGroup() const { return extent % size != 0; }
};
} // namespace

static std::optional<ReducedPart> findReducedPart(GemmKNest &nest,
                                                  Im2colOp copy) {
  vector::ContractionOp contraction = nest.contraction;
  for (bool isA : {true, false}) {
    Value operand = isA ? contraction.getLhs() : contraction.getRhs();
    Value tile = getOperandRead(operand).getBase();
    if (copy.getDest() != tile)
      continue;
    unsigned channelDim = cast<VectorType>(operand.getType()).getRank() - 1;
    ViewAttr view = copy.getView();
    ArrayRef<int64_t> size = cast<MemRefType>(tile.getType()).getShape();
    SmallVector<int64_t> shape = view.getMatrixShape(copy.getTensorShape());
    if (view.getRowGroups() > 1 && isReduced(contraction, isA, /*dim=*/0))
      return ReducedPart{"rows", size.front(), shape[view.getRowDim()]};
    if (view.getGroups() > 1 && isReduced(contraction, isA, channelDim))
      return ReducedPart{"channels", size.back(), shape.back()};
  }
  return std::nullopt;
}

/// Whether an operand of the nest is zero past the end of an image, which is a
/// group there.
static bool endsWithImages(GemmKNest &nest) {
  return llvm::any_of(nest.copies, [](Im2colOp copy) {
    return hasImageGroups(copy.getView(), copy.getTensorShape());
  });
}

LoadedTile conv::getLoadedTile(OpBuilder &builder, GemmKNest &nest,
                               Im2colOp copy, ValueRange offsets) {
  std::optional<ReducedPart> part = findReducedPart(nest, copy);
  if (!part || !part->passesGroup() || endsWithImages(nest))
    return dropGroups(builder, copy, offsets);
  LoadedTile tile;
  for (ViewAttr view : copy.getAllViews())
    tile.views.push_back(view);
  tile.offsets.assign(offsets.begin(), offsets.end());
  return tile;
}

LogicalResult conv::verifyGroups(GemmKNest &nest) {
  if (endsWithImages(nest))
    return success();
  for (Im2colOp copy : nest.copies) {
    std::optional<ReducedPart> part = findReducedPart(nest, copy);
    if (part && part->passesGroup())
      return copy.emitOpError()
             << "of " << part->size << " " << part->what
             << " reaches from one group of " << part->extent
             << " into the next, which a box cannot leave out";
  }
  return success();
}
