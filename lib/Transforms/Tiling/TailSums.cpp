//===- TailSums.cpp - the sums of the last round's tiles ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles of the last round are no box of the result, so that no operation on
// whole tensors writes them: the kernel is made as conv-tile-plain-kernels
// would make it, an scf.forall over threads. A thread has a few neighbours of
// one row of a tile; from its tile's number follows where they are.
//
//===----------------------------------------------------------------------===//

#include "PlainKernels/PlainKernels.h"
#include "ResultTiles.h"
#include "Support/IndexMath.h"
#include "TailTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {

class TailSummation {
public:
  TailSummation(RewriterBase &rewriter, const StridePhases &phases,
                ScheduleAttr schedule, const TailItems &items, Value workspace)
      : rewriter(rewriter), phases(phases), schedule(schedule), items(items),
        workspace(workspace), loc(phases.front().getLoc()),
        tiles(rewriter, phases, schedule), sizes(tiles.getTileSizes()),
        rowDim(phases.front().getView().getRowDim()),
        isChannelsFirst(ScatterOp(phases.front()).getChannelsFirst()),
        width(chooseWidth()) {}

  FailureOr<Value> emit(Value result);

private:
  int64_t chooseWidth() const;
  SmallVector<int64_t> getExtents(ScatterOp scatter) const;
  SmallVector<int64_t> getLoopCounts() const;
  SmallVector<Value> getIndices(scf::ForallOp loop) const;
  Tile findRow(ValueRange indices);
  Value emitSum(ValueRange indices);
  Value emitIsInside(const Tile &row);

  RewriterBase &rewriter;
  const StridePhases &phases;
  ScheduleAttr schedule;
  const TailItems &items;
  Value workspace;
  Location loc;
  ResultTiles tiles;
  SmallVector<int64_t> sizes; ///< Of a tile.
  unsigned rowDim;
  bool isChannelsFirst; ///< Of the result.
  int64_t width;        ///< Neighbours of a thread.
};

} // namespace

/// Extents of a phase's matrix, in the dimensions of what is written there.
SmallVector<int64_t> TailSummation::getExtents(ScatterOp scatter) const {
  SmallVector<int64_t> extents = scatter.getFullShape();
  if (extents.size() > sizes.size())
    extents.erase(extents.begin() + scatter.getView().getTapDim());
  return extents;
}

/// All inside of the result, or none.
int64_t TailSummation::chooseWidth() const {
  int64_t width = getPlainWidth(sizes.back(), workspace.getType());
  return std::gcd(width, getExtents(phases.front()).back());
}

/// Tiles, then the dimensions of a tile; rows last where channels are first.
SmallVector<int64_t> TailSummation::getLoopCounts() const {
  SmallVector<int64_t> counts = {items.getRestTiles()};
  llvm::append_range(counts, sizes);
  counts.back() /= width;
  if (isChannelsFirst)
    std::swap(counts.back(), counts[1 + rowDim]);
  return counts;
}

/// The indices of the loop in the order of a tile's dimensions.
SmallVector<Value> TailSummation::getIndices(scf::ForallOp loop) const {
  SmallVector<Value> indices(loop.getInductionVars());
  if (isChannelsFirst)
    std::swap(indices.back(), indices[1 + rowDim]);
  return indices;
}

/// The neighbours of a thread, as a box of the matrix.
Tile TailSummation::findRow(ValueRange indices) {
  Tile row = tiles.find(items.findRestTile(rewriter, loc, indices.front()));
  AffineExpr offset, index;
  bindDims(rewriter.getContext(), offset, index);
  for (auto [dim, place] : llvm::enumerate(indices.drop_front())) {
    bool isLast = dim + 1 == sizes.size();
    row.sizes[dim] = isLast ? width : 1;
    row.offsets[dim] = affine::makeComposedFoldedAffineApply(
        rewriter, loc, offset + index * row.sizes[dim],
        {row.offsets[dim], OpFoldResult(place)});
  }
  return row;
}

/// The sum of a thread's neighbours over all parts, with as many unit
/// dimensions in front as the matrix has.
Value TailSummation::emitSum(ValueRange indices) {
  auto type = cast<RankedTensorType>(workspace.getType());
  Type element = type.getElementType();
  unsigned rank = sizes.size();
  SmallVector<int64_t> shape(rank, 1);
  shape.back() = width;
  IndexMath math(rewriter, loc);
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
  Value init = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  auto loop = scf::ForOp::create(rewriter, loc, math.constant(0),
                                 math.constant(items.getMostParts()),
                                 math.constant(1), init);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());

  // Rows, then taps: of the dimensions beside columns, one or two have more
  // than one position.
  AffineExpr line = rewriter.getAffineConstantExpr(0);
  for (unsigned dim = 0; dim + 1 < rank; ++dim)
    line = line * sizes[dim] + rewriter.getAffineDimExpr(dim);
  SmallVector<OpFoldResult> places(indices.drop_front());
  TailItems::Slot slot =
      items.findSlot(rewriter, loc, loop.getInductionVar(), indices.front());
  SmallVector<OpFoldResult> offsets = {
      OpFoldResult(slot.number),
      affine::makeComposedFoldedAffineApply(
          rewriter, loc, AffineMap::get(rank, 0, line), places),
      affine::makeComposedFoldedAffineApply(
          rewriter, loc, rewriter.getAffineDimExpr(0) * width,
          {places.back()})};
  OpFoldResult one = rewriter.getIndexAttr(1);
  Value part = tensor::ExtractSliceOp::create(
      rewriter, loc, RankedTensorType::get(width, element), workspace, offsets,
      ArrayRef<OpFoldResult>{one, one, rewriter.getIndexAttr(width)},
      ArrayRef<OpFoldResult>{one, one, one});
  AffineMap columns =
      AffineMap::get(rank, 0, rewriter.getAffineDimExpr(rank - 1));
  auto sum = linalg::GenericOp::create(
      rewriter, loc, init.getType(), part, loop.getRegionIterArg(0),
      ArrayRef<AffineMap>{columns, rewriter.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Value added = args[0];
        if (slot.isThere)
          added =
              arith::SelectOp::create(nested, loc, slot.isThere, added, zero);
        Value sum = ArithBuilder(nested, loc).add(args[1], added);
        linalg::YieldOp::create(nested, loc, sum);
      });
  scf::YieldOp::create(rewriter, loc, sum.getResults());
  return loop.getResult(0);
}

/// Whether the result has such a row; null: always. Its first element decides,
/// for the width divides its columns.
Value TailSummation::emitIsInside(const Tile &row) {
  IndexMath math(rewriter, loc);
  Value isInside;
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    SmallVector<int64_t> extents;
    for (ScatterOp scatter : phases.scatters)
      extents.push_back(getExtents(scatter)[dim]);
    if (llvm::all_of(extents,
                     [&](int64_t extent) { return extent % sizes[dim] == 0; }))
      continue;
    Value limit = math.toValue(tiles.lookUp(extents));
    isInside = math.both(isInside,
                         math.isBelow(math.toValue(row.offsets[dim]), limit));
  }
  return isInside;
}

FailureOr<Value> TailSummation::emit(Value result) {
  SmallVector<int64_t> counts = getLoopCounts();
  auto loop = scf::ForallOp::create(
      rewriter, loc, getAsIndexOpFoldResult(rewriter.getContext(), counts),
      result,
      rewriter.getArrayAttr(
          getPlainMapping(rewriter.getContext(), counts.size())));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> indices = getIndices(loop);
  Tile row = findRow(indices);
  ProducerTiler producers(rewriter, phases, tiles.getPhase(), /*ranges=*/{});
  producers.keepUnitDims();
  producers.setContraction(emitSum(indices));
  FailureOr<Value> value = producers.tile(phases.front().getValue(), row);
  if (failed(value))
    return failure();
  Value isInside = emitIsInside(row);
  SmallVector<OpFoldResult> offsets = row.offsets;
  ScatterOp scatter = phases.front();
  if (offsets.size() < scatter.getView().getMatrixRank())
    offsets.insert(offsets.begin() + scatter.getView().getTapDim(),
                   rewriter.getIndexAttr(0));
  SmallVector<Value> positions =
      getValueOrCreateConstantIndexOp(rewriter, loc, offsets);
  rewriter.setInsertionPointToStart(loop.getTerminator().getBody());
  ScatterOp::create(rewriter, loc, TypeRange(), *value,
                    loop.getRegionIterArgs().front(), positions, isInside,
                    tiles.getPhase(),
                    rewriter.getArrayAttr(llvm::to_vector_of<Attribute>(
                        phases.getScatterViews())),
                    scatter.getChannelsFirstAttr(), /*zero_fill=*/UnitAttr());
  return loop.getResult(0);
}

FailureOr<Value> conv::sumTail(RewriterBase &rewriter,
                               const StridePhases &phases,
                               ScheduleAttr schedule, const TailItems &items,
                               Value result, Value workspace) {
  return TailSummation(rewriter, phases, schedule, items, workspace)
      .emit(result);
}
