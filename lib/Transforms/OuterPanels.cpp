//===- OuterPanels.cpp - panels of a tile past its matrix -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OuterPanels.h"

#include "GroupedTiles.h"
#include "conv/Transforms/SharedTile.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;

static PanelTile getPanels(Im2colOp copy) {
  auto type = cast<MemRefType>(copy.getDest().getType());
  return PanelTile(type.getDimSize(0), type.getDimSize(1),
                   type.getElementTypeBitWidth() / 8);
}

static int64_t getColumns(Im2colOp copy) {
  return copy.getView().getMatrixShape(copy.getTensorShape()).back();
}

bool conv::hasOuterPanels(GemmKNest &nest, Im2colOp copy) {
  ViewAttr view = copy.getView();
  if (view.getGroups() > 1 || copy.getChannelsFirst() ||
      hasImageGroups(view, copy.getTensorShape()))
    return false;
  vector::ContractionOp op = nest.contraction;
  bool isA = getOperandRead(op.getLhs()).getBase() == copy.getDest();
  constexpr unsigned columnDim = 1;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[2].isFunctionOfDim(maps[isA ? 0 : 1].getDimPosition(columnDim)))
    return false; // Of gemm-k: sums take them.
  if (isA && nest.rowSum)
    return false; // Other threads read the whole tile.
  PanelTile tile = getPanels(copy);
  int64_t rest = getColumns(copy) % tile.getColumns();
  return rest > 0 && rest <= tile.getColumns() - tile.getPanelColumns();
}

Value conv::emitIsCopied(IndexMath &math, const PanelTile &tile, int64_t panel,
                         Value column, int64_t columns) {
  if (panel == 0)
    return nullptr;
  return math.isBelow(math.add(column, panel * tile.getPanelColumns()),
                      columns);
}

Value conv::emitCopiedBytes(IndexMath &math, Im2colOp copy,
                            ValueRange offsets) {
  PanelTile tile = getPanels(copy);
  Value bytes = math.constant(0);
  for (int64_t panel = 0; panel < tile.getNumPanels(); ++panel)
    bytes = math.add(bytes,
                     math.select(emitIsCopied(math, tile, panel, offsets.back(),
                                              getColumns(copy)),
                                 math.constant(tile.getPanelBytes()),
                                 math.constant(0)));
  return bytes;
}
