//===- ConvDepthwiseOp.cpp - sums over taps, channel by channel -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

static SmallVector<int64_t> getPositions(ViewAttr view, ShapedType source) {
  SmallVector<int64_t> shape = {source.getShape().front()};
  llvm::append_range(shape, view.getRows());
  shape.push_back(source.getShape().back());
  return shape;
}

void DepthwiseOp::build(OpBuilder &builder, OperationState &state, Value source,
                        Value filter, ViewAttr view, ScheduleAttr schedule,
                        Type sumType) {
  auto type = cast<ShapedType>(source.getType());
  build(builder, state,
        RankedTensorType::get(getPositions(view, type), sumType), source,
        filter, /*offsets=*/ValueRange(), view, schedule);
}

SmallVector<int64_t> DepthwiseOp::getFullShape() {
  return getPositions(getView(), getSourceType());
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
  if (filter.getShape() !=
      ArrayRef<int64_t>({view.getNumTaps(), source.getShape().back()}))
    return emitOpError() << "needs a filter [tap, channel] of "
                         << view.getNumTaps() << "x" << source.getShape().back()
                         << ", but has " << filter;
  if (filter.getElementType() != source.getElementType())
    return emitOpError() << "needs a filter of the source's elements, but has "
                         << source << " and " << filter;
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

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> DepthwiseOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getResultType().getRank(),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> DepthwiseOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> domain;
  for (int64_t extent : getResultType().getShape())
    domain.push_back({builder.getIndexAttr(0), builder.getIndexAttr(extent),
                      builder.getIndexAttr(1)});
  return domain;
}

FailureOr<TilingResult>
DepthwiseOp::getTiledImplementation(OpBuilder &builder,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (!constant)
      return emitOpError("can only be tiled by constant sizes");
    shape.push_back(*constant);
  }
  SmallVector<OpFoldResult> base = getAsOpFoldResult(getOffsets());
  base.resize(offsets.size(), builder.getIndexAttr(0));
  AffineExpr a, b;
  bindDims(builder.getContext(), a, b);
  SmallVector<Value> sums;
  for (auto [first, second] : llvm::zip_equal(base, offsets))
    sums.push_back(getValueOrCreateConstantIndexOp(
        builder, getLoc(),
        affine::makeComposedFoldedAffineApply(builder, getLoc(), a + b,
                                              {first, second})));
  auto tiled = DepthwiseOp::create(
      builder, getLoc(), getResultType().clone(shape), getSource(), getFilter(),
      sums, getView(), getScheduleAttr());
  return TilingResult{{tiled}, {tiled.getResult()}, {}};
}

LogicalResult DepthwiseOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult>
DepthwiseOp::generateResultTileValue(OpBuilder &builder, unsigned,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  return getTiledImplementation(builder, offsets, sizes);
}
