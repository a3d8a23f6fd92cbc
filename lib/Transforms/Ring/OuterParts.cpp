//===- OuterParts.cpp - parts of a tile past its matrix -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OuterParts.h"

#include "GroupedTiles.h"
#include "conv/Geometry/SharedTile.h"

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

static int64_t getRows(Im2colOp copy) {
  ViewAttr view = copy.getView();
  return view.getMatrixShape(copy.getTensorShape())[view.getRowDim()];
}

/// Sums take what is past gemm-k, as zeros. Those of the left operand's rows
/// are other threads', which read all of its tile.
static bool hasOuterPanels(GemmKNest &nest, Im2colOp copy, bool isA) {
  if (isReduced(nest.contraction, isA, /*dim=*/1) || (isA && nest.rowSum))
    return false;
  PanelTile tile = getPanels(copy);
  int64_t rest = getColumns(copy) % tile.getColumns();
  return rest > 0 && rest <= tile.getColumns() - tile.getPanelColumns();
}

/// Rows of the left operand are positions, of which one tile has too many.
static bool hasOuterRows(GemmKNest &nest, Im2colOp copy, bool isA) {
  return !isA && !copy.getPhase() &&
         !isReduced(nest.contraction, isA, /*dim=*/0) &&
         getRows(copy) % getPanels(copy).getRows() != 0;
}

OuterParts conv::findOuterParts(GemmKNest &nest, Im2colOp copy) {
  ViewAttr view = copy.getView();
  if (view.getGroups() > 1 || view.getRowGroups() > 1 ||
      copy.getChannelsFirst())
    return {};
  Value left = getOperandRead(nest.contraction.getLhs()).getBase();
  bool isA = left == copy.getDest();
  return {hasOuterPanels(nest, copy, isA), hasOuterRows(nest, copy, isA)};
}

Value conv::emitIsInside(IndexMath &math, const PanelTile &tile, int64_t panel,
                         Value column, int64_t columns) {
  if (panel == 0)
    return nullptr;
  return math.isBelow(math.add(column, panel * tile.getPanelColumns()),
                      columns);
}

Value conv::emitHasAllRows(IndexMath &math, Value row, int64_t size,
                           int64_t rows) {
  return math.isBelow(row, rows - rows % size);
}

Value conv::emitInnerBytes(IndexMath &math, Im2colOp copy, ValueRange offsets,
                           OuterParts outer) {
  PanelTile tile = getPanels(copy);
  if (outer.rows) {
    int64_t rest = getRows(copy) % tile.getRows();
    Value ofRest = math.constant(tile.getBytes() / tile.getRows() * rest);
    if (getRows(copy) == rest)
      return ofRest;
    Value hasAll = emitHasAllRows(math, offsets[copy.getView().getRowDim()],
                                  tile.getRows(), getRows(copy));
    return math.select(hasAll, math.constant(tile.getBytes()), ofRest);
  }
  if (!outer.panels)
    return math.constant(tile.getBytes());
  Value bytes = math.constant(0);
  for (int64_t panel = 0; panel < tile.getNumPanels(); ++panel)
    bytes = math.add(bytes,
                     math.select(emitIsInside(math, tile, panel, offsets.back(),
                                              getColumns(copy)),
                                 math.constant(tile.getPanelBytes()),
                                 math.constant(0)));
  return bytes;
}
