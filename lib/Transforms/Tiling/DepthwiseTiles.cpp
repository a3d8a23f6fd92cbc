//===- DepthwiseTiles.cpp - workgroups of depthwise sums ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  conv.depthwise of a gradient whose schedule multiplies bands.
// Output: F3, an scf.forall over parts and channels with a tile of it; F4, a
//         vector of the same shape, and its store.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseTiles.h"
#include "BlockMapping.h"
#include "FilterBandTiles.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Schedule/Forms/DepthwiseBandSchedule.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult conv::tileDepthwise(RewriterBase &rewriter, DepthwiseOp op) {
  if (!op.hasFilterOfImage())
    return tileFilterBands(rewriter, op);
  if (std::string why = whyIllegalBands(op, getChip(op)); !why.empty())
    return op.emitOpError(why);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResultType());
  ScheduleAttr schedule = op.getScheduleAttr();
  int64_t channels = schedule.getTile()[1], last = type.getRank() - 1;
  rewriter.setInsertionPoint(op);
  Value place = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<OpFoldResult> counts = {
      rewriter.getIndexAttr(op.getParts()),
      rewriter.getIndexAttr(type.getDimSize(last) / channels)};
  auto forall = scf::ForallOp::create(rewriter, loc, counts, place,
                                      getBlockMapping(rewriter, counts.size()));
  forall->setAttr(kLoopsAttrName, schedule);
  rewriter.setInsertionPointToStart(forall.getBody());
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
      strides(type.getRank(), rewriter.getIndexAttr(1)),
      sizes = getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
  offsets.front() = forall.getInductionVars()[0];
  sizes.front() = rewriter.getIndexAttr(1);
  offsets.back() = affine::makeComposedFoldedAffineApply(
      rewriter, loc, rewriter.getAffineDimExpr(0) * channels,
      {OpFoldResult(forall.getInductionVars()[1])});
  sizes.back() = rewriter.getIndexAttr(channels);
  FailureOr<TilingResult> tile =
      op.getTiledImplementation(rewriter, offsets, sizes);
  if (failed(tile))
    return op.emitOpError("has no tile of the sizes of its schedule");
  rewriter.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(
      rewriter, loc, tile->tiledValues.front(),
      forall.getRegionIterArgs().front(), offsets, sizes, strides);
  rewriter.replaceOp(op, forall.getResults());
  return success();
}

LogicalResult conv::vectorizeDepthwise(RewriterBase &rewriter,
                                       scf::ForallOp block) {
  for (DepthwiseOp op : block.getBody()->getOps<DepthwiseOp>())
    if (!op.hasFilterOfImage())
      return vectorizeFilterBands(rewriter, block, op);
  auto inserts =
      block.getTerminator().getBody()->getOps<tensor::ParallelInsertSliceOp>();
  auto insert = inserts.empty() ? nullptr : *inserts.begin();
  auto op = insert ? insert.getSource().getDefiningOp<DepthwiseOp>() : nullptr;
  if (!op)
    return block.emitOpError(
        "must put a tile of a conv.depthwise in its place");
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResultType());
  rewriter.setInsertionPoint(op);
  auto vector = VectorType::get(type.getShape(), type.getElementType());
  Operation *sums =
      mlir::clone(rewriter, op, TypeRange(vector), op->getOperands());
  Value place = tensor::ExtractSliceOp::create(
      rewriter, loc, type, insert.getDest(), insert.getMixedOffsets(),
      insert.getMixedSizes(), insert.getMixedStrides());
  SmallVector<Value> first(type.getRank(),
                           arith::ConstantIndexOp::create(rewriter, loc, 0));
  SmallVector<bool> inBounds(type.getRank(), true);
  rewriter.replaceOpWithNewOp<vector::TransferWriteOp>(op, sums->getResult(0),
                                                       place, first, inBounds);
  return success();
}
