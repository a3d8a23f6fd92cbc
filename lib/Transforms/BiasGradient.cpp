//===- BiasGradient.cpp - dy is summed where it is multiplied -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BiasGradient.h"

#include "Clusters.h"
#include "IndexMath.h"
#include "MmaShape.h"
#include "RowSumLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// What is summed where
//===----------------------------------------------------------------------===//

/// Whether the contraction reduces a dimension of its left operand.
static bool isReduced(linalg::LinalgOp contraction, unsigned dim) {
  AffineMap map =
      contraction.getMatchingIndexingMap(contraction.getDpsInputOperand(0));
  return contraction.getIteratorTypesArray()[map.getDimPosition(dim)] ==
         utils::IteratorType::reduction;
}

static unsigned getRank(linalg::LinalgOp contraction) {
  return cast<ShapedType>(contraction.getDpsInputs()[0].getType()).getRank();
}

bool conv::reducesColumns(linalg::LinalgOp contraction) {
  return isReduced(contraction, getRank(contraction) - 1);
}

Im2colOp conv::getReducedRows(linalg::LinalgOp contraction) {
  if (!contraction->hasAttr(ScheduleAttr::attributeName()))
    return nullptr;
  auto matrix = contraction.getDpsInputs()[0].getDefiningOp<Im2colOp>();
  if (!matrix)
    return nullptr;
  unsigned rank = getRank(contraction);
  bool isChannelsFirst = reducesColumns(contraction);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isReduced(contraction, dim) !=
        (isChannelsFirst ? dim + 2 != rank : dim == 0))
      return nullptr;
  return matrix;
}

linalg::GenericOp conv::findRowSum(linalg::LinalgOp contraction) {
  Im2colOp matrix = getReducedRows(contraction);
  if (!matrix)
    return nullptr;
  for (Operation *user : matrix->getUsers()) {
    auto sum = dyn_cast<linalg::GenericOp>(user);
    if (sum && sum.getNumDpsInputs() == 1 && sum.getNumReductionLoops() > 0)
      return sum;
  }
  return nullptr;
}

/// Whether the matrix has each position of the tensor once.
static bool hasEachPositionOnce(Im2colOp matrix, bool isChannelsFirst) {
  ViewAttr view = matrix.getView();
  ArrayRef<int64_t> shape = matrix.getSourceType().getShape();
  if (view.getStrips() != 1 ||
      view.getRowGroups() != (isChannelsFirst ? shape.front() : 1) ||
      (isChannelsFirst && (view.getGroups() > 1 || shape.size() != 3)))
    return false;
  for (int64_t d = 0; d < view.getSpatialRank(); ++d)
    if (view.getTaps()[d] != 1 || view.getStride()[d] != 1 ||
        view.getOffset()[d] != 0 || view.getRows()[d] < shape[d + 1])
      return false;
  return true;
}

/// Whether helpers can share out the tiles of the left operand.
static bool canShare(ScheduleAttr schedule, bool isChannelsFirst,
                     int64_t bytes) {
  int64_t filters = schedule.getTile()[0], positions = schedule.getTile()[2];
  return isChannelsFirst
             ? LineSumLayout::get(filters, positions, bytes).has_value()
             : RowSumLayout::get(positions, filters, bytes).has_value();
}

std::string conv::whyApart(linalg::LinalgOp contraction, Im2colOp dy) {
  auto schedule =
      contraction->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (schedule.getAlgorithm() != Algorithm::ImplicitGemm)
    return "explicit im2col copies what its kernels read";
  if (schedule.getCopy() != CopyKind::Tma ||
      schedule.getMma() != MmaKind::Wgmma)
    return formatv("warps that sum what others multiply are of kernels with "
                   "copy=tma and mma=wgmma, and this one has copy={0} and "
                   "mma={1}",
                   stringifyCopyKind(schedule.getCopy()),
                   stringifyMmaKind(schedule.getMma()));
  if (schedule.getGather())
    return "all warps that could sum tiles gather them (gather)";
  Type element = dy.getSourceType().getElementType();
  if (!element.isF16() && !element.isBF16())
    return formatv("tiles of f16 and bf16 are summed, not of {0}",
                   getTypeName(element));
  bool isChannelsFirst = reducesColumns(contraction);
  ArrayRef<int64_t> tile = schedule.getTile();
  if (!canShare(schedule, isChannelsFirst, element.getIntOrFloatBitWidth() / 8))
    return formatv("a tile of {0} positions and {1} filters cannot be shared "
                   "out evenly among the warps that would sum it",
                   tile[2], tile[0]);
  if (!hasEachPositionOnce(dy, isChannelsFirst))
    return "the matrix of dy does not have each position once";
  return "";
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

RowSumTiler::RowSumTiler(RewriterBase &rewriter, linalg::LinalgOp contraction,
                         ViewAttr view, int64_t parts, const TailItems *tail)
    : rewriter(rewriter), rowSum(findRowSum(contraction)),
      schedule(contraction->getAttrOfType<ScheduleAttr>(
          ScheduleAttr::attributeName())),
      view(view), parts(parts) {
  if (!rowSum)
    return;
  auto shape = cast<ShapedType>(rowSum.getResult(0).getType()).getShape();
  channels = shape.back();
  groups = shape.size() > 1 ? shape.front() : 1;
  if (!tail)
    return;
  whole = countWholeChannels(*tail);
  if (whole == groups * channels)
    this->parts = 1;
}

/// Tiles are numbered by groups, rows and columns: those of the first channels
/// are whole.
int64_t RowSumTiler::countWholeChannels(const TailItems &tail) const {
  int64_t rows = schedule.getTile()[0] * getClusterM(schedule);
  int64_t perGroup = llvm::divideCeil(channels, rows);
  int64_t wholeTiles = tail.countRowsWithWholeFirst(view.getRowDim());
  int64_t wholeGroups = wholeTiles / perGroup;
  int64_t rest = std::min(wholeTiles % perGroup * rows, channels);
  return std::min(wholeGroups * channels + rest, groups * channels);
}

void RowSumTiler::addDest(SmallVectorImpl<Value> &dests) {
  if (!rowSum)
    return;
  SmallVector<int64_t> shape = {1, parts, groups * channels};
  dests.push_back(tensor::EmptyOp::create(
      rewriter, rowSum.getLoc(), shape,
      getElementTypeOrSelf(rowSum.getResult(0).getType())));
}

void RowSumTiler::open(ProducerTiler &producers, const Tile &tile) {
  if (!rowSum)
    return;
  Location loc = rowSum.getLoc();
  producers.addRowSum(rowSum);
  IndexMath math(rewriter, loc);
  isFirst = Value();
  for (OpFoldResult offset :
       ArrayRef(tile.offsets).drop_front(view.getRowDim() + 1))
    if (!isConstantIntValue(offset, 0))
      isFirst = math.both(isFirst, arith::CmpIOp::create(
                                       rewriter, loc, arith::CmpIPredicate::eq,
                                       math.toValue(offset), math.constant(0)));
}

/// Parts are the rows of a tensor of one image.
void RowSumTiler::scatter(scf::ForallOp forall, const ProducerTiler &producers,
                          const Tile &tile, Value part) {
  if (!rowSum)
    return;
  Location loc = rowSum.getLoc();
  auto rows = ViewAttr::get(rewriter.getContext(), parts, /*taps=*/1,
                            /*stride=*/1, /*step=*/1, /*offset=*/0, groups,
                            /*rowGroups=*/1, /*strips=*/1);
  OpFoldResult zero = rewriter.getIndexAttr(0);
  bool hasPart = part && parts > 1;
  SmallVector<OpFoldResult> offsets = {hasPart ? OpFoldResult(part) : zero,
                                       zero};
  if (groups > 1)
    offsets.push_back(tile.offsets.front());
  offsets.push_back(tile.offsets[view.getRowDim()]);
  SmallVector<Value> positions =
      getValueOrCreateConstantIndexOp(rewriter, loc, offsets);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  ScatterOp::create(rewriter, loc, TypeRange(), producers.getRowSums(),
                    forall.getRegionIterArgs().back(), positions, isFirst,
                    /*phase=*/Value(), rewriter.getArrayAttr(rows),
                    /*channels_first=*/UnitAttr());
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// What a part has of a channel, or zero where all is in part 0.
Value RowSumTiler::selectPart(OpBuilder &builder, Location loc,
                              Value sum) const {
  if (whole == 0)
    return sum;
  IndexMath math(builder, loc);
  Value isWhole = math.isBelow(linalg::IndexOp::create(builder, loc, 0), whole);
  Value isLater = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      linalg::IndexOp::create(builder, loc, 1), math.constant(0));
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(sum.getType()));
  return math.select(math.both(isWhole, isLater), zero, sum);
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
  Value sum =
      parts == 1 ? collapse({{0, 1, 2}}) : sumParts(collapse({{0, 1}, {2}}));
  if (groups > 1)
    sum = tensor::ExpandShapeOp::create(rewriter, loc,
                                        rowSum.getResult(0).getType(), sum,
                                        ArrayRef<ReassociationIndices>{{0, 1}});
  rewriter.replaceOp(rowSum, sum);
}
