//===- BiasGradient.cpp - dy is summed where it is multiplied -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BiasGradient.h"

#include "Support/IndexMath.h"
#include "conv/Schedule/Shape/ClusterShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

RowSumTiler::RowSumTiler(RewriterBase &rewriter, linalg::LinalgOp contraction,
                         ScatterOp scatter, ArrayRef<int64_t> tileSizes,
                         int64_t parts, const TailItems *tail)
    : rewriter(rewriter), rowSum(findRowSum(contraction)),
      schedule(contraction->getAttrOfType<ScheduleAttr>(
          ScheduleAttr::attributeName())),
      view(scatter.getView()), parts(parts) {
  if (!rowSum)
    return;
  auto shape = cast<ShapedType>(rowSum.getResult(0).getType()).getShape();
  channels = shape.back();
  groups = shape.size() > 1 ? shape.front() : 1;
  unsigned firstOfN = view.getRowDim() + 1;
  sizes.assign(tileSizes.begin() + firstOfN, tileSizes.end());
  ArrayRef<int64_t> extents = scatter.getValueType().getShape();
  for (auto [extent, size] :
       llvm::zip_equal(extents.drop_front(firstOfN), ArrayRef<int64_t>(sizes)))
    counts.push_back(llvm::divideCeil(extent, size));
  tilesN = llvm::product_of(counts, int64_t(1));
  if (tail)
    wholeTiles = tail->getNumWhole();
}

void RowSumTiler::addDest(SmallVectorImpl<Value> &dests) {
  if (!rowSum)
    return;
  SmallVector<int64_t> shape = {1, getNumRows(), groups * channels};
  dests.push_back(tensor::EmptyOp::create(
      rewriter, rowSum.getLoc(), shape,
      getElementTypeOrSelf(rowSum.getResult(0).getType())));
}

void RowSumTiler::open(ProducerTiler &producers, const Tile &tile) {
  if (!rowSum)
    return;
  IndexMath math(rewriter, rowSum.getLoc());
  ArrayRef<OpFoldResult> offsets =
      ArrayRef(tile.offsets).take_back(sizes.size());
  number = math.constant(0);
  for (auto [offset, size, count] : llvm::zip_equal(offsets, sizes, counts))
    number =
        math.add(math.mul(number, count), math.div(math.toValue(offset), size));
  if (tilesN == 1)
    number = Value();
  producers.addRowSum(rowSum, number, tilesN);
}

/// Parts, and tiles along gemm-n in them, are the rows of a tensor of one
/// image.
void RowSumTiler::scatter(scf::ForallOp forall, const ProducerTiler &producers,
                          const Tile &tile, Value part) {
  if (!rowSum)
    return;
  Location loc = rowSum.getLoc();
  IndexMath math(rewriter, loc);
  auto rows = ViewAttr::get(rewriter.getContext(), getNumRows(), /*taps=*/1,
                            /*stride=*/1, /*step=*/1, /*offset=*/0, groups,
                            /*rowGroups=*/1, /*strips=*/1);
  Value zero = math.constant(0);
  Value row = part ? math.mul(part, tilesN) : zero;
  if (number)
    row = math.add(row, number);
  SmallVector<Value> positions = {row, zero};
  if (groups > 1)
    positions.push_back(math.toValue(tile.offsets.front()));
  positions.push_back(math.toValue(tile.offsets[view.getRowDim()]));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  ScatterOp::create(rewriter, loc, TypeRange(), producers.getRowSums(),
                    forall.getRegionIterArgs().back(), positions,
                    /*phase=*/Value(), rewriter.getArrayAttr(rows),
                    /*channels_first=*/UnitAttr());
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Whether a tile of a kernel with a tail is whole: by its number, which counts
/// clusters.
Value RowSumTiler::isWhole(IndexMath &math, Value channel, Value tile) const {
  int64_t clusterN = getClusterN(schedule);
  int64_t rows = schedule.getTile()[0] * getClusterM(schedule);
  int64_t clusters = llvm::divideCeil(counts.back(), clusterN);
  int64_t perRow = tilesN / counts.back() * clusters;
  Value row = math.add(math.mul(math.div(channel, channels),
                                int64_t(llvm::divideCeil(channels, rows))),
                       math.div(math.rem(channel, channels), rows));
  Value column = math.add(math.mul(math.div(tile, counts.back()), clusters),
                          math.div(math.rem(tile, counts.back()), clusterN));
  return math.isBelow(math.add(math.mul(row, perRow), column), wholeTiles);
}

/// What a row has of a channel, or zero where it is one of a later part of a
/// tile that is whole, and so in part 0.
Value RowSumTiler::selectPart(OpBuilder &builder, Location loc,
                              Value sum) const {
  if (wholeTiles == 0)
    return sum;
  IndexMath math(builder, loc);
  Value channel = linalg::IndexOp::create(builder, loc, 0);
  Value row = linalg::IndexOp::create(builder, loc, 1);
  Value isLater = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        row, math.constant(tilesN));
  Value isMissing =
      math.both(isWhole(math, channel, math.rem(row, tilesN)), isLater);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(sum.getType()));
  return math.select(isMissing, zero, sum);
}

/// The sum over the rows of a matrix of parts and channels.
Value RowSumTiler::sumParts(Value parts) {
  Location loc = rowSum.getLoc();
  Type element = getElementTypeOrSelf(parts.getType());
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, ArrayRef<int64_t>{groups * channels}, element);
  Value zeros = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  AffineExpr channel, part;
  bindDims(rewriter.getContext(), channel, part);
  return linalg::GenericOp::create(
             rewriter, loc, zeros.getType(), parts, zeros,
             AffineMap::inferFromExprList(
                 {ArrayRef{part, channel}, ArrayRef{channel}},
                 rewriter.getContext()),
             {utils::IteratorType::parallel, utils::IteratorType::reduction},
             [&](OpBuilder &builder, Location loc, ValueRange args) {
               Value sum = selectPart(builder, loc, args[0]);
               sum = arith::AddFOp::create(builder, loc, args[1], sum);
               linalg::YieldOp::create(builder, loc, sum);
             })
      .getResult(0);
}

void RowSumTiler::finish(scf::ForallOp forall) {
  if (!rowSum)
    return;
  Location loc = rowSum.getLoc();
  Value made = forall.getResults().back();
  auto collapse = [&](ArrayRef<ReassociationIndices> dims) -> Value {
    return tensor::CollapseShapeOp::create(rewriter, loc, made, dims);
  };
  Value sum = getNumRows() == 1 ? collapse({{0, 1, 2}})
                                : sumParts(collapse({{0, 1}, {2}}));
  if (groups > 1)
    sum = tensor::ExpandShapeOp::create(rewriter, loc,
                                        rowSum.getResult(0).getType(), sum,
                                        ArrayRef<ReassociationIndices>{{0, 1}});
  rewriter.replaceOp(rowSum, sum);
}
