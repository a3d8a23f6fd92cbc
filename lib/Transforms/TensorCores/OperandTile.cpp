//===- OperandTile.cpp - operands in shared memory ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandTile.h"

#include "ContractionOperand.h"
#include "TileDistribution.h"
#include "conv/Schedule/Shape/MmaShape.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::SharedTile;

static FailureOr<OperandTile>
getOperandTile(vector::ContractionOp op, Operand operand, bool hasProducer) {
  bool isA = operand == Operand::A;
  FailureOr<ContractionOperand> found = getContractionOperand(op, isA);
  if (failed(found))
    return failure();
  MemRefType type = found->memref.getType();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (!SharedTile::isPossible(type.getDimSize(1), bytes))
    return op.emitOpError() << "the " << (isA ? "left" : "right")
                            << " operand's rows must be a multiple of "
                            << convmlir::kChunkBytes << " bytes";
  Type factor = getFactorType(isA ? op.getLhs() : op.getRhs());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t together = columns;
  if (hasProducer)
    together = convmlir::PanelTile(rows, columns, bytes).getPanelColumns();
  return OperandTile{
      operand, found->isTransposed ? Major::MN : Major::K, found->memref,
      factor,  SharedTile(rows, together, bytes),          columns};
}

FailureOr<std::pair<OperandTile, OperandTile>>
conv::getOperandTiles(vector::ContractionOp op, bool hasProducer) {
  FailureOr<OperandTile> a = getOperandTile(op, Operand::A, hasProducer);
  if (failed(a))
    return failure();
  FailureOr<OperandTile> b = getOperandTile(op, Operand::B, hasProducer);
  if (failed(b))
    return failure();
  return std::make_pair(*a, *b);
}

LogicalResult conv::verifyContract(vector::ContractionOp op,
                                   const OperandTile &a, const OperandTile &b,
                                   const TileDistribution &distribution,
                                   Type sum, int64_t stepK) {
  if (op.getKind() != vector::CombiningKind::ADD)
    return op.emitOpError("must combine by addition");
  if (distribution.getKind(op.getResultType()) != TileKind::Block)
    return op.emitOpError() << "result must be the schedule's tile ("
                            << distribution.layout.getTileM() << "x"
                            << distribution.layout.getTileN() << "), but is "
                            << op.getResultType();
  if (!areFactors(a.factor, b.factor))
    return op.emitOpError() << "operands must be of one type, but are "
                            << a.factor << " and " << b.factor;
  if (getElementTypeOrSelf(op.getResultType()) != sum)
    return op.emitOpError() << "must accumulate in " << sum
                            << ", but has the result " << op.getResultType();
  if (a.getExtentK() % stepK != 0)
    return op.emitOpError() << "gemm-k of the tile must be a multiple of "
                            << stepK << ", but is " << a.getExtentK();
  return success();
}

OperandPositions::OperandPositions(Location loc, const OperandTile &operand,
                                   OpBuilder entry)
    : loc(loc), isKMajor(operand.major == Major::K),
      hasPanels(operand.hasPanels()), tile(operand.tile), entry(entry) {}

Value OperandPositions::get(OpBuilder &builder, Value laneMN, int64_t mn,
                            Value laneK, int64_t k) {
  Value laneRow = isKMajor ? laneMN : laneK,
        laneColumn = isKMajor ? laneK : laneMN;
  int64_t row = isKMajor ? mn : k, column = isKMajor ? k : mn;
  // Panels of one line or less are periods themselves.
  int64_t columnPeriod =
      hasPanels ? tile.getColumns()
                : SharedTile::kSwizzlePeriod * tile.getElementsPerChunk();
  int64_t lowRow = row % SharedTile::kSwizzlePeriod;
  int64_t lowColumn = column % columnPeriod;
  Value &element = known[{{laneRow, laneColumn}, {lowRow, lowColumn}}];
  if (!element) {
    IndexMath math(entry, loc);
    Value position = math.add(laneColumn, lowColumn), panel;
    if (hasPanels) {
      panel = math.div(position, columnPeriod);
      position = math.rem(position, columnPeriod);
    }
    element = math.sharedElementAt(tile, math.add(laneRow, lowRow), position);
    if (hasPanels)
      element = math.add(element,
                         math.mul(panel, tile.getRows() * tile.getColumns()));
  }
  IndexMath math(builder, loc);
  int64_t periods = column - lowColumn;
  if (hasPanels)
    periods *= tile.getRows();
  return math.add(element, (row - lowRow) * tile.getColumns() + periods);
}
