//===- ConvMatrixOps.cpp - conv.im2col and conv.scatter
//-------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "conv/Dialect/Conv/IR/ScatterChain.h"
#include "conv/Dialect/Conv/IR/SmallNumbers.h"
#include "conv/Dialect/Conv/IR/ViewOperands.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Syntax of the views: "view <...>", or "at %phase views [<...>, <...>]"
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/ConvMatrixOps.cpp.inc"

//===----------------------------------------------------------------------===//
// What both operations share
//===----------------------------------------------------------------------===//

/// Checks the matrix (or tile) against the whole matrix of the view.
static LogicalResult verifyMatrix(Operation *op, StringRef role,
                                  ShapedType matrix, Type element,
                                  ArrayRef<int64_t> full, unsigned tapDim,
                                  bool isTile, size_t leastRank = 2) {
  if (matrix.getElementType() != element)
    return op->emitOpError() << role << " must have element type " << element
                             << ", but is " << matrix;
  ArrayRef<int64_t> shape = matrix.getShape();
  if (isTile) {
    // Unit groups, or those and a unit tap, may be left out.
    if (shape.size() >= leastRank && shape.size() <= full.size())
      return success();
    return op->emitOpError() << role << " must be a tile of rank " << leastRank
                             << " to " << full.size() << ", but is " << matrix;
  }
  SmallVector<int64_t> expected(full);
  bool dropsTap = full[tapDim] == 1 && shape.size() + 1 == full.size();
  if (dropsTap)
    expected.erase(expected.begin() + tapDim);
  bool fits = shape.size() == expected.size();
  for (auto [have, want] : llvm::zip(shape, expected))
    fits &= have >= want; // More rows or channels are padding.
  if (fits)
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << role << " must be at least ";
  llvm::interleave(expected, diag, "x");
  return diag << ", but is " << matrix;
}

/// Extents of a tensor as they would be with its channels last.
static SmallVector<int64_t> getTensorShapeOf(ShapedType type,
                                             bool channelsFirst) {
  SmallVector<int64_t> shape(type.getShape());
  if (channelsFirst && shape.size() > 2)
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return shape;
}

static SmallVector<OpFoldResult>
offsetsOrZeros(Builder builder, ValueRange offsets, size_t rank) {
  if (!offsets.empty())
    return getAsOpFoldResult(offsets);
  return SmallVector<OpFoldResult>(rank, builder.getIndexAttr(0));
}

//===----------------------------------------------------------------------===//
// Im2colOp
//===----------------------------------------------------------------------===//

void Im2colOp::build(OpBuilder &builder, OperationState &state, Value source,
                     ViewAttr view, bool dropTap) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape = view.getMatrixShape(type.getShape());
  if (dropTap)
    shape.erase(shape.begin() + view.getTapDim());
  build(builder, state,
        TypeRange{RankedTensorType::get(shape, type.getElementType())}, source,
        /*offsets=*/ValueRange(), /*dest=*/Value(), /*phase=*/Value(),
        builder.getArrayAttr(view), /*async=*/UnitAttr());
}

void Im2colOp::build(OpBuilder &builder, OperationState &state,
                     TypeRange result, Value source, ValueRange offsets,
                     Value dest, Value phase, ArrayAttr views, UnitAttr async,
                     UnitAttr channelsFirst, UnitAttr transposed) {
  build(builder, state, result, source, offsets, dest, phase, views, async,
        channelsFirst, transposed, /*tap_step=*/IntegerAttr(),
        /*tap_offset=*/IntegerAttr());
}

void Im2colOp::build(OpBuilder &builder, OperationState &state, Value source,
                     ViewAttr view, int64_t taps, int64_t columns, int64_t step,
                     int64_t offset) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape = view.getMatrixShape(type.getShape());
  shape[view.getTapDim()] = taps;
  shape.back() = columns;
  build(builder, state,
        TypeRange{RankedTensorType::get(shape, type.getElementType())}, source,
        /*offsets=*/ValueRange(), /*dest=*/Value(), /*phase=*/Value(),
        builder.getArrayAttr(view), /*async=*/UnitAttr(),
        /*channels_first=*/UnitAttr(), /*transposed=*/UnitAttr(),
        builder.getI64IntegerAttr(step), builder.getI64IntegerAttr(offset));
}

bool Im2colOp::readsNeighbours() {
  ViewAttr view = getView();
  if (!getChannelsFirst() || getViews().size() != 1 || view.getGroups() != 1 ||
      view.getRowGroups() != 1 || view.getStrips() != 1)
    return false;
  SmallVector<int64_t> shape = getTensorShape();
  auto isEach = [](ArrayRef<int64_t> values, int64_t value) {
    return llvm::all_equal(values) && values.front() == value;
  };
  return isEach(view.getTaps(), 1) && isEach(view.getStride(), 1) &&
         isEach(view.getOffset(), 0) &&
         view.getRows() == ArrayRef(shape).drop_front().drop_back();
}

ShapedType Im2colOp::getMatrixType() {
  return cast<ShapedType>(getResult() ? getResult().getType()
                                      : getDest().getType());
}

SmallVector<int64_t> Im2colOp::getTensorShape() {
  return getTensorShapeOf(getSourceType(), getChannelsFirst());
}

SmallVector<OpFoldResult> Im2colOp::getMixedOffsets() {
  return offsetsOrZeros(Builder(getContext()), getOffsets(),
                        getFullShape().size());
}

LogicalResult Im2colOp::verify() {
  if (failed(verifyPhases(*this, getPhase(), getViews(), getOffsets())) ||
      failed(verifyView(*this, "source",
                        getSourceType().clone(getTensorShape()), getViews(),
                        getOffsets())))
    return failure();
  if (getTransposed() &&
      (!readsNeighbours() || !getDest() || getMatrixType().getRank() != 2))
    return emitOpError("can only be transposed as a copy into a tile of two "
                       "dimensions, of positions with the channels first in "
                       "their order");
  if (getTapStep()) {
    if (failed(verifyNumbers(*this)))
      return failure();
    if (!getOffsets().empty() || getDest() || getView().getNumTaps() != 1)
      return emitOpError("shifts taps of a whole matrix only, whose view has "
                         "one");
    if (getMatrixType().getRank() != getView().getMatrixRank())
      return emitOpError()
             << "with taps that are shifted must have a matrix of "
                "rank "
             << getView().getMatrixRank() << ", but has " << getMatrixType();
    return success();
  }
  bool onBuffers = getDest() && isa<MemRefType>(getDest().getType());
  if (!getResult() && !onBuffers)
    return emitOpError("must have a result, or a buffer to copy into");
  if (getResult() && onBuffers)
    return emitOpError("copies into a buffer and has no result then");
  if (getDest() && getResult() && getDest().getType() != getResult().getType())
    return emitOpError() << "result must have the type of its destination, "
                         << getDest().getType() << ", but is "
                         << getResult().getType();
  bool isTile =
      !getOffsets().empty() || getDest() || isa<VectorType>(getMatrixType());
  return verifyMatrix(*this, getResult() ? "result" : "destination",
                      getMatrixType(), getSourceType().getElementType(),
                      getFullShape(), getView().getTapDim(), isTile);
}

void Im2colOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (isa<MemRefType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  if (getDest() && isa<MemRefType>(getDest().getType()))
    effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable()[0]);
}

//===----------------------------------------------------------------------===//
// ScatterOp
//===----------------------------------------------------------------------===//

void ScatterOp::build(OpBuilder &builder, OperationState &state,
                      TypeRange results, Value value, Value dest,
                      ValueRange offsets, Value phase, ArrayAttr views,
                      UnitAttr channelsFirst) {
  build(builder, state, results, value, dest, offsets, /*condition=*/Value(),
        phase, views, channelsFirst, /*zero_fill=*/UnitAttr());
}

void ScatterOp::build(OpBuilder &builder, OperationState &state,
                      TypeRange results, Value value, Value dest,
                      ValueRange offsets, ViewAttr view) {
  build(builder, state, results, value, dest, offsets, /*phase=*/Value(),
        builder.getArrayAttr(view), /*channels_first=*/UnitAttr());
}

SmallVector<int64_t> ScatterOp::getTensorShape() {
  return getTensorShapeOf(getDestType(), getChannelsFirst());
}

SmallVector<OpFoldResult> ScatterOp::getMixedOffsets() {
  return offsetsOrZeros(Builder(getContext()), getOffsets(),
                        getFullShape().size());
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyPhases(*this, getPhase(), getViews(), getOffsets())) ||
      failed(verifyView(*this, "destination",
                        getDestType().clone(getTensorShape()), getViews(),
                        getOffsets())))
    return failure();
  if (getChannelsFirst() &&
      (getView().getRowGroups() > 1 || getView().getNumTaps() != 1))
    return emitOpError("cannot write rows in groups, or taps, with the "
                       "channels first");
  if (getZeroFill() &&
      (getViews().size() != 1 || !namesCells(getView(), getTensorShape())))
    return emitOpError("with zero_fill must have one view of all positions at "
                       "a distance of its stride");
  bool onBuffers = isa<MemRefType>(getDest().getType());
  bool inParallel =
      isa_and_nonnull<InParallelOpInterface>((*this)->getParentOp());
  if (getCondition() && !inParallel)
    return emitOpError("has a condition in a parallel region only");
  if (onBuffers || inParallel) {
    if (getResult())
      return emitOpError("has no result on buffers and in a parallel region");
  } else if (!getResult() || getResult().getType() != getDest().getType()) {
    return emitOpError() << "must have a result of the destination's type "
                         << getDest().getType();
  }
  bool isTile = !getOffsets().empty() || isa<VectorType>(getValue().getType());
  return verifyMatrix(*this, "value", getValueType(),
                      getDestType().getElementType(), getFullShape(),
                      getView().getTapDim(), isTile, /*leastRank=*/1);
}

void ScatterOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // In a parallel region the op has no result, but is not dead.
  if (isa<MemRefType>(getDest().getType()) || getIteratingParent())
    effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

MutableOperandRange ScatterOp::getUpdatedDestinations() {
  return getDestMutable();
}

Operation *ScatterOp::getIteratingParent() {
  if (auto parent =
          dyn_cast_or_null<InParallelOpInterface>((*this)->getParentOp()))
    return parent->getParentOp();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// AddTapsOp
//===----------------------------------------------------------------------===//

LogicalResult AddTapsOp::verify() {
  if (failed(verifyNumbers(*this)))
    return failure();
  auto source = cast<ShapedType>(getSource().getType());
  auto result = cast<ShapedType>(getResult().getType());
  if (getShifts().empty() || getLine() < 1)
    return emitOpError("must have shifts, and lines of a position or more");
  if (source.getElementType() != result.getElementType() ||
      source.getRank() != result.getRank() || source.getRank() < 2)
    return emitOpError() << "must have a source and a result of one element "
                            "type and one rank of 2 or more, but they are "
                         << source << " and " << result;
  size_t rows = source.getRank() - 2;
  ArrayRef<int64_t> from = source.getShape(), to = result.getShape();
  if (to[rows] % kBlockRows != 0 || from[rows] != to[rows] * getNumTaps())
    return emitOpError() << "must have blocks of " << kBlockRows
                         << " rows for each of " << getNumTaps()
                         << " taps and for their sum, but has " << from[rows]
                         << " and " << to[rows] << " rows";
  if (from.take_front(rows) != to.take_front(rows) || from.back() < to.back() ||
      to.back() % getLine() != 0)
    return emitOpError() << "must have a result of whole lines of " << getLine()
                         << " of the source's positions, but they have "
                         << to.back() << " and " << from.back();
  return success();
}
