//===- ConvDepthwiseOp.cpp - sums over taps, channel by channel -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

using namespace mlir;
using namespace mlir::conv;

static int64_t getSplit(ScheduleAttr schedule) {
  return schedule ? schedule.getSplit() : 1;
}

static SmallVector<int64_t> getPositions(ViewAttr view, ShapedType source,
                                         int64_t parts) {
  SmallVector<int64_t> shape = {source.getShape().front() * parts};
  llvm::append_range(shape, view.getRows());
  shape.push_back(source.getShape().back());
  return shape;
}

void DepthwiseOp::build(OpBuilder &builder, OperationState &state, Value source,
                        Value filter, ViewAttr view, ScheduleAttr schedule,
                        Type sumType, TypeAttr precisionType) {
  auto type = cast<ShapedType>(source.getType());
  build(builder, state,
        RankedTensorType::get(getPositions(view, type, getSplit(schedule)),
                              sumType),
        source, filter, /*offsets=*/ValueRange(), view, schedule,
        precisionType);
}

SmallVector<int64_t> DepthwiseOp::getFullShape() {
  return getPositions(getView(), getSourceType(), getParts());
}

int64_t DepthwiseOp::getParts() { return getSplit(getScheduleAttr()); }

int64_t DepthwiseOp::getBlock() {
  ScheduleAttr schedule = getScheduleAttr();
  bool isWhole = !schedule || schedule.getTile()[2] == 1;
  return isWhole ? getView().getTaps().back() : schedule.getTile()[2];
}

int64_t DepthwiseOp::getNumBlocks() {
  return getView().getNumTaps() / getBlock();
}

LogicalResult DepthwiseOp::verify() {
  ShapedType source = getSourceType(), result = getResultType();
  auto filter = cast<ShapedType>(getFilter().getType());
  ViewAttr view = getView();
  if (source.getRank() != view.getSpatialRank() + 2 || !source.hasStaticShape())
    return emitOpError() << "needs a source [batch, extent…, channel] with the "
                         << view.getSpatialRank()
                         << " spatial dimensions of its view, but has "
                         << source;
  if (view.getGroups() != 1 || view.getRowGroups() != 1 ||
      view.getStrips() != 1)
    return emitOpError("has a view without groups and strips");
  SmallVector<int64_t> filterShape = {
      source.getShape().front(), view.getNumTaps(), source.getShape().back()};
  if (filter.getShape() != ArrayRef(filterShape) &&
      filter.getShape() != ArrayRef(filterShape).drop_front())
    return emitOpError() << "needs a filter [tap, channel] of "
                         << view.getNumTaps() << "x" << source.getShape().back()
                         << ", perhaps one for each image, but has " << filter;
  if (view.getNumTaps() == 0 || view.getTaps().back() % getBlock() != 0 ||
      getNumBlocks() % getParts() != 0)
    return emitOpError() << "needs taps that blocks of " << getBlock()
                         << " of a line and " << getParts()
                         << " parts divide, but has " << view;
  if (filter.getElementType() != source.getElementType())
    return emitOpError() << "needs a filter of the source's elements, but has "
                         << source << " and " << filter;
  if (std::optional<Type> precision = getPrecisionType();
      precision &&
      (!isa<FloatTF32Type>(*precision) || !source.getElementType().isF32()))
    return emitOpError() << "has a precision of tf32 where elements are f32, "
                            "or none, but "
                         << *precision << " for " << source.getElementType();
  SmallVector<int64_t> full = getFullShape();
  if (!getOffsets().empty() && getOffsets().size() != full.size())
    return emitOpError() << "needs an offset for each of " << full.size()
                         << " dimensions of its result, but has "
                         << getOffsets().size();
  bool isWhole = getOffsets().empty();
  if (result.getRank() != int64_t(full.size()) ||
      (isWhole && result.getShape() != ArrayRef(full)))
    return emitOpError() << "must have a result of "
                         << (isWhole ? "all positions" : "as many dimensions")
                         << ", but has " << result;
  return success();
}

void DepthwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getSourceMutable(), &getFilterMutable()})
    if (isa<MemRefType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
}
