//===- ConvMatrixTiling.cpp - tiles of the virtual matrices ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TilingInterface of conv.im2col and conv.scatter. A tile of either is the same
// op with offsets; its sizes must be constants, since elements past the matrix
// read zero (or are dropped) and no tile is ever cut short.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

/// No element of a matrix depends on another.
static SmallVector<utils::IteratorType> allParallel(ShapedType type) {
  return SmallVector<utils::IteratorType>(type.getRank(),
                                          utils::IteratorType::parallel);
}

static SmallVector<Range> fullDomain(OpBuilder &builder, ShapedType type) {
  SmallVector<Range> domain;
  for (int64_t extent : type.getShape())
    domain.push_back({builder.getIndexAttr(0), builder.getIndexAttr(extent),
                      builder.getIndexAttr(1)});
  return domain;
}

static FailureOr<SmallVector<int64_t>>
getStaticSizes(Operation *op, ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> result;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (!constant)
      return op->emitOpError("can only be tiled by constant sizes");
    result.push_back(*constant);
  }
  return result;
}

/// The sums of offsets in the same places.
static SmallVector<Value> addEach(OpBuilder &builder, Location loc,
                                  ArrayRef<OpFoldResult> firsts,
                                  ArrayRef<OpFoldResult> seconds) {
  AffineExpr a, b;
  bindDims(builder.getContext(), a, b);
  SmallVector<Value> result;
  for (auto [first, second] : llvm::zip_equal(firsts, seconds)) {
    OpFoldResult sum = affine::makeComposedFoldedAffineApply(
        builder, loc, a + b, {first, second});
    result.push_back(getValueOrCreateConstantIndexOp(builder, loc, sum));
  }
  return result;
}

/// The offsets of a tile of a tile: `base` has an entry for every dimension of
/// the view, `offsets` one for every dimension of the matrix, which may leave
/// unit dimensions out: the tap of a whole matrix, the group of a tile.
static SmallVector<Value> addOffsets(OpBuilder &builder, Location loc,
                                     ViewAttr view, ArrayRef<OpFoldResult> base,
                                     ArrayRef<OpFoldResult> offsets,
                                     bool isTile) {
  SmallVector<OpFoldResult> full(offsets);
  bool dropsGroups = isTile && full.size() < base.size();
  if (dropsGroups && view.getRowGroups() > 1)
    full.insert(full.begin(), builder.getIndexAttr(0));
  unsigned tap = view.getTapDim();
  while (full.size() < base.size())
    full.insert(full.begin() + tap + (dropsGroups && full.size() > tap + 1),
                builder.getIndexAttr(0));
  return addEach(builder, loc, base, full);
}

//===----------------------------------------------------------------------===//
// Im2colOp
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> Im2colOp::getLoopIteratorTypes() {
  return allParallel(getMatrixType());
}

SmallVector<Range> Im2colOp::getIterationDomain(OpBuilder &builder) {
  return fullDomain(builder, getMatrixType());
}

FailureOr<TilingResult>
Im2colOp::getTiledImplementation(OpBuilder &builder,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  if (getDest() || !isa<RankedTensorType>(getMatrixType()))
    return emitOpError("can only be tiled while it is a virtual tensor");
  if (getTapStep())
    return emitOpError("with taps that shift channels is tiled with the "
                       "contraction that reads it only");
  FailureOr<SmallVector<int64_t>> shape = getStaticSizes(*this, sizes);
  if (failed(shape))
    return failure();
  auto type = RankedTensorType::get(*shape, getSourceType().getElementType());
  auto tiled = Im2colOp::create(builder, getLoc(), TypeRange{type}, getSource(),
                                addOffsets(builder, getLoc(), getView(),
                                           getMixedOffsets(), offsets,
                                           !getOffsets().empty()),
                                /*dest=*/Value(), getPhase(), getViews(),
                                getAsyncAttr(), getChannelsFirstAttr());
  return TilingResult{{tiled}, {tiled.getResult()}, {}};
}

LogicalResult Im2colOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult>
Im2colOp::generateResultTileValue(OpBuilder &builder, unsigned,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  return getTiledImplementation(builder, offsets, sizes);
}

//===----------------------------------------------------------------------===//
// ScatterOp
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> ScatterOp::getLoopIteratorTypes() {
  return allParallel(getValueType());
}

SmallVector<Range> ScatterOp::getIterationDomain(OpBuilder &builder) {
  return fullDomain(builder, getValueType());
}

FailureOr<TilingResult>
ScatterOp::getTiledImplementation(OpBuilder &builder,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  if (!getResult())
    return emitOpError("can only be tiled while it is a tensor operation");
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  auto slice = tensor::ExtractSliceOp::create(builder, getLoc(), getValue(),
                                              offsets, sizes, strides);
  auto tiled = ScatterOp::create(
      builder, getLoc(), TypeRange{getDest().getType()}, slice, getDest(),
      addOffsets(builder, getLoc(), getView(), getMixedOffsets(), offsets,
                 !getOffsets().empty()),
      getPhase(), getViews(), getChannelsFirstAttr());
  tiled.setZeroFill(getZeroFill());
  return TilingResult{{tiled}, {tiled.getResult()}, {slice}};
}

LogicalResult
ScatterOp::getResultTilePosition(OpBuilder &builder, unsigned,
                                 ArrayRef<OpFoldResult>, ArrayRef<OpFoldResult>,
                                 SmallVector<OpFoldResult> &resultOffsets,
                                 SmallVector<OpFoldResult> &resultSizes) {
  // A tile of a scatter may touch any element of the destination.
  for (int64_t extent : getDestType().getShape()) {
    resultOffsets.push_back(builder.getIndexAttr(0));
    resultSizes.push_back(builder.getIndexAttr(extent));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// DepthwiseOp
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> DepthwiseOp::getLoopIteratorTypes() {
  return allParallel(getResultType());
}

SmallVector<Range> DepthwiseOp::getIterationDomain(OpBuilder &builder) {
  return fullDomain(builder, getResultType());
}

FailureOr<TilingResult>
DepthwiseOp::getTiledImplementation(OpBuilder &builder,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  FailureOr<SmallVector<int64_t>> shape = getStaticSizes(*this, sizes);
  if (failed(shape))
    return failure();
  SmallVector<OpFoldResult> base = getAsOpFoldResult(getOffsets());
  base.resize(offsets.size(), builder.getIndexAttr(0));
  auto tiled = DepthwiseOp::create(
      builder, getLoc(), getResultType().clone(*shape), getSource(),
      getFilter(), addEach(builder, getLoc(), base, offsets), getView(),
      getDilationAttr(), getChannelsFirst(), getScheduleAttr(),
      getPrecisionTypeAttr());
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
