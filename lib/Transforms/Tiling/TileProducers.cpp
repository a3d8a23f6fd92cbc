//===- TileProducers.cpp - what makes a tile ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProducers.h"

#include "Support/IndexMath.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

bool conv::hasBlocksOfImages(linalg::LinalgOp contraction) {
  SmallVector<unsigned> reductions;
  contraction.getReductionDims(reductions);
  return reductions.size() == 2 && reductions.front() == 0 &&
         reductions.back() + 1 == contraction.getNumLoops();
}

int64_t ProducerTiler::getBlockK() {
  return phases.contraction
      ->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName())
      .getTile()[2];
}

bool conv::isRowOfSums(linalg::LinalgOp op) {
  auto isReal = [](Value source) {
    return !isa_and_nonnull<Im2colOp, AddTapsOp>(source.getDefiningOp());
  };
  return op.getNumReductionLoops() > 0 && op->getNumResults() == 1 &&
         cast<ShapedType>(op->getResult(0).getType()).getRank() == 1 &&
         llvm::all_of(op.getDpsInputs(), isReal);
}

FailureOr<Value> ProducerTiler::tile(Value value, const Tile &tile) {
  Operation *op = value.getDefiningOp();
  if (auto im2col = dyn_cast_or_null<Im2colOp>(op))
    return tileIm2col(im2col, tile);
  if (auto addTaps = dyn_cast_or_null<AddTapsOp>(op))
    return tileAddTaps(addTaps, tile);
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return Value(tensor::EmptyOp::create(rewriter, empty.getLoc(),
                                         getShape(tile),
                                         empty.getType().getElementType()));
  if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
      linalgOp && !isRowOfSums(linalgOp))
    return tileLinalg(linalgOp, tile);
  return tileRow(value, tile);
}

//===----------------------------------------------------------------------===//
// Matrices and rows
//===----------------------------------------------------------------------===//

FailureOr<Value> ProducerTiler::tileIm2col(Im2colOp op, const Tile &tile) {
  if (!op.getOffsets().empty() || op.getDest())
    return op->emitOpError("is tiled already");
  SmallVector<OpFoldResult> offsets = tile.offsets;
  ViewAttr view = op.getView();
  if (offsets.size() + 1 == view.getMatrixRank()) // the unit tap
    offsets.insert(offsets.begin() + view.getTapDim(),
                   rewriter.getIndexAttr(0));
  if (std::optional<uint64_t> step = op.getTapStep()) {
    AffineExpr column, tap;
    bindDims(rewriter.getContext(), column, tap);
    OpFoldResult &ofTap = offsets[view.getTapDim()];
    offsets.back() = affine::makeComposedFoldedAffineApply(
        rewriter, op.getLoc(),
        column + tap * int64_t(*step) + int64_t(*op.getTapOffset()),
        {offsets.back(), ofTap});
    ofTap = rewriter.getIndexAttr(0);
  }
  SmallVector<Attribute> views(llvm::to_vector_of<Attribute>(
      phases.getViews(op).take_front(phase ? phases.size() : 1)));
  auto type = RankedTensorType::get(getShape(tile),
                                    op.getSourceType().getElementType());
  return Im2colOp::create(
             rewriter, op.getLoc(), TypeRange{type}, op.getSource(),
             getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), offsets),
             /*dest=*/Value(), phase, rewriter.getArrayAttr(views),
             op.getAsyncAttr(), op.getChannelsFirstAttr())
      .getResult();
}

/// The sums of all taps of the tile's filters. Of positions they have whole
/// panels of shared memory, since what lies behind the tile is not read.
FailureOr<Value> ProducerTiler::tileAddTaps(AddTapsOp op, const Tile &tile) {
  constexpr int64_t panel = 64;
  Tile sums = tile;
  size_t rows = tile.sizes.size() - 2;
  if (tile.sizes[rows] % AddTapsOp::kBlockRows != 0 ||
      tile.sizes.back() % op.getLine() != 0)
    return op->emitOpError()
           << "has tiles of whole blocks of " << AddTapsOp::kBlockRows
           << " rows and lines of " << op.getLine() << " positions, not of "
           << tile.sizes[rows] << "x" << tile.sizes.back();
  AffineExpr row;
  bindDims(rewriter.getContext(), row);
  sums.sizes[rows] *= op.getNumTaps();
  sums.sizes.back() = llvm::alignTo(tile.sizes.back(), panel);
  sums.offsets[rows] = affine::makeComposedFoldedAffineApply(
      rewriter, op.getLoc(), row * op.getNumTaps(), {tile.offsets[rows]});
  FailureOr<Value> source = this->tile(op.getSource(), sums);
  if (failed(source))
    return failure();
  auto type = RankedTensorType::get(
      getShape(tile), cast<ShapedType>(op.getType()).getElementType());
  return AddTapsOp::create(rewriter, op.getLoc(), type, *source, op.getLine(),
                           op.getShifts())
      .getResult();
}

/// Whether a tile's offset is known to be a multiple of its size; those of
/// groups that are narrower than a tile are not.
static bool isMultipleOf(OpFoldResult offset, int64_t size) {
  if (size == 1)
    return true;
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    return *constant % size == 0;
  auto apply = cast<Value>(offset).getDefiningOp<affine::AffineApplyOp>();
  return apply && apply.getAffineMap().getResult(0).isMultipleOf(size);
}

/// A real tensor that the epilogue reads: one value, or a row of per-channel
/// values, whose last tile is padded with zeros.
FailureOr<Value> ProducerTiler::tileRow(Value value, const Tile &tile) {
  auto type = cast<RankedTensorType>(value.getType());
  Location loc = value.getLoc();
  if (type.getRank() == 0)
    return value;
  if (type.getRank() != 1)
    return emitError(loc) << "an epilogue operand must be a row of channels or "
                             "a conv.im2col, but is "
                          << type;
  int64_t size = tile.sizes[0];
  SmallVector<OpFoldResult> unit = {rewriter.getIndexAttr(1)};
  if (type.getDimSize(0) % size == 0 && isMultipleOf(tile.offsets[0], size))
    return Value(tensor::ExtractSliceOp::create(
        rewriter, loc, value, tile.offsets,
        ArrayRef<OpFoldResult>{rewriter.getIndexAttr(size)}, unit));
  AffineExpr offset;
  bindDims(rewriter.getContext(), offset);
  AffineMap clamp = AffineMap::get(
      1, 0, {rewriter.getAffineConstantExpr(size), type.getDimSize(0) - offset},
      rewriter.getContext());
  OpFoldResult real = affine::makeComposedFoldedAffineMin(rewriter, loc, clamp,
                                                          {tile.offsets[0]});
  Value slice = tensor::ExtractSliceOp::create(
      rewriter, loc, value, tile.offsets, ArrayRef<OpFoldResult>{real}, unit);
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  OpFoldResult high = affine::makeComposedFoldedAffineApply(
      rewriter, loc, rewriter.getAffineConstantExpr(size) - offset, {real});
  return Value(tensor::PadOp::create(
      rewriter, loc, RankedTensorType::get(size, type.getElementType()), slice,
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{high}, zero));
}

//===----------------------------------------------------------------------===//
// Operations on tiles
//===----------------------------------------------------------------------===//

/// The part of the iteration space that computes `tile` of a result. Reductions
/// are whole.
Tile ProducerTiler::getIterationTile(linalg::LinalgOp op, AffineMap resultMap,
                                     const Tile &tile) {
  Tile iteration;
  for (int64_t extent : op.getStaticLoopRanges()) {
    iteration.offsets.push_back(rewriter.getIndexAttr(0));
    iteration.sizes.push_back(extent);
  }
  for (auto [i, expr] : llvm::enumerate(resultMap.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    iteration.offsets[dim] = tile.offsets[i];
    iteration.sizes[dim] = tile.sizes[i];
  }
  return iteration;
}

/// The part of an operand that an iteration tile reads: the map at the
/// offsets, and as far as the map moves over the sizes.
Tile ProducerTiler::getOperandTile(Location loc, AffineMap map,
                                   const Tile &iteration) {
  Tile tile;
  SmallVector<int64_t> zeros(iteration.sizes.size(), 0);
  SmallVector<int64_t> last = llvm::map_to_vector(
      iteration.sizes, [](int64_t size) { return size - 1; });
  SmallVector<int64_t> low = map.compose(zeros), high = map.compose(last);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    tile.offsets.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, map.getSubMap(unsigned(i)), iteration.offsets));
    tile.sizes.push_back(high[i] - low[i] + 1);
  }
  return tile;
}

FailureOr<Value> ProducerTiler::tileOperand(OpOperand &operand,
                                            const Tile &iteration) {
  if (!isa<RankedTensorType>(operand.get().getType()))
    return operand.get();
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return tile(operand.get(), getOperandTile(op.getLoc(), map, iteration));
}

FailureOr<Value> ProducerTiler::tileLinalg(linalg::LinalgOp op,
                                           const Tile &tile) {
  if (op.getNumDpsInits() != 1)
    return op->emitOpError("cannot be tiled: it has more than one result");
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!resultMap.isProjectedPermutation())
    return op->emitOpError("cannot be tiled: its result is not indexed by a "
                           "permutation of its loops");
  Tile iteration = getIterationTile(op, resultMap, tile);
  if (op == phases.contraction) {
    if (contraction)
      return contraction;
    FailureOr<Value> tiled = tileContraction(iteration);
    contraction = tiled.value_or(Value());
    return tiled;
  }
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<Value> tiled = tileOperand(operand, iteration);
    if (failed(tiled))
      return failure();
    operands.push_back(*tiled);
  }
  return cloneTile(op, operands, iteration)->getResult(0);
}

/// `op` on tiles, its unit loops left out.
linalg::LinalgOp ProducerTiler::cloneTile(linalg::LinalgOp op,
                                          ArrayRef<Value> operands,
                                          const Tile &iteration) {
  Type type = operands.back().getType();
  if (!isa<linalg::GenericOp>(op) || keepsUnitDims)
    return cast<linalg::LinalgOp>(
        mlir::clone(rewriter, op, TypeRange(type), operands));
  SmallVector<AffineExpr> newDims;
  SmallVector<utils::IteratorType> iterators;
  for (auto [size, kind] :
       llvm::zip_equal(iteration.sizes, op.getIteratorTypesArray())) {
    newDims.push_back(size == 1 ? rewriter.getAffineConstantExpr(0)
                                : rewriter.getAffineDimExpr(iterators.size()));
    if (size != 1)
      iterators.push_back(kind);
  }
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray()) {
    AffineMap reduced =
        map.replaceDimsAndSymbols(newDims, {}, iterators.size(), 0);
    SmallVector<AffineExpr> results =
        llvm::filter_to_vector(reduced.getResults(), [](AffineExpr expr) {
          return !isa<AffineConstantExpr>(expr);
        });
    maps.push_back(
        AffineMap::get(iterators.size(), 0, results, rewriter.getContext()));
  }
  ArrayRef<Value> inputs = operands.drop_back();
  auto clone = linalg::GenericOp::create(rewriter, op.getLoc(), type, inputs,
                                         operands.take_back(), maps, iterators);
  rewriter.cloneRegionBefore(op->getRegion(0), clone.getRegion(),
                             clone.getRegion().end());
  return cast<linalg::LinalgOp>(clone.getOperation());
}

//===----------------------------------------------------------------------===//
// The contraction
//===----------------------------------------------------------------------===//

FailureOr<Value> ProducerTiler::tileContraction(const Tile &iteration) {
  linalg::LinalgOp op = phases.contraction;
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  std::rotate(loops.begin(), loops.end() - 1, loops.end());
  FailureOr<Value> init = tileOperand(*op.getDpsInitOperand(0), iteration);
  if (failed(init))
    return failure();
  SmallVector<Value> sums = {*init};
  if (rowSum) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
    unsigned last = map.getNumResults() - 1;
    unsigned kept = map.getDimPosition(sumsColumns() ? last - 1 : last);
    sums.push_back(emitRowSumInit(iteration.sizes[kept]));
  }
  if (failed(hasBlocksOfImages(op) ? emitImages(iteration, sums)
                                   : emitReductions(loops, iteration, sums)))
    return failure();
  if (rowSum)
    rowSums = sums.back();
  return sums.front();
}

Value ProducerTiler::emitRowSumInit(int64_t number) {
  Location loc = rowSum.getLoc();
  Type element = getElementTypeOrSelf(rowSum.getResult(0).getType());
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, ArrayRef(number), element);
  return linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
}

/// Whether columns are summed, and not rows: of images with channels first.
bool ProducerTiler::sumsColumns() {
  AffineMap map = rowSum.getMatchingIndexingMap(rowSum.getDpsInputOperand(0));
  unsigned last = map.getDimPosition(map.getNumResults() - 1);
  return rowSum.getIteratorTypesArray()[last] == utils::IteratorType::reduction;
}

/// The sum over the rows of a tile: (n, m) -> (m, n), (n).
Value ProducerTiler::tileRowSum(Value rows, Value sums) {
  AffineExpr kept, summed;
  bindDims(rewriter.getContext(), kept, summed);
  SmallVector<AffineExpr, 2> element = {summed, kept};
  if (sumsColumns())
    std::swap(element[0], element[1]);
  auto tiled = linalg::GenericOp::create(
      rewriter, rowSum.getLoc(), sums.getType(), rows, sums,
      AffineMap::inferFromExprList(
          {ArrayRef<AffineExpr>(element), ArrayRef<AffineExpr>(kept)},
          rewriter.getContext()),
      {utils::IteratorType::parallel, utils::IteratorType::reduction});
  rewriter.cloneRegionBefore(rowSum.getRegion(), tiled.getRegion(),
                             tiled.getRegion().end());
  if (!rowSumShare)
    return tiled.getResult(0);
  // Blocks of other shares leave the sums as they are.
  IndexMath math(rewriter, rowSum.getLoc());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(tiled);
  Value isMine =
      arith::CmpIOp::create(rewriter, rowSum.getLoc(), arith::CmpIPredicate::eq,
                            math.rem(block, rowSumShares), rowSumShare);
  Operation *yield = tiled.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  yield->setOperand(0, math.select(isMine, yield->getOperand(0),
                                   tiled.getBody()->getArgument(1)));
  return tiled.getResult(0);
}

/// Counted from the first of all, whichever part of gemm-k the tile has: those
/// that share the blocks may have others.
void ProducerTiler::addToBlock(Value index, int64_t step) {
  if (!rowSumShare)
    return;
  IndexMath math(rewriter, rowSum.getLoc());
  Value number = math.div(index, step);
  block = block ? math.add(block, number) : number;
}

/// What a block of gemm-k adds.
LogicalResult ProducerTiler::emitBlock(const Tile &iteration,
                                       SmallVectorImpl<Value> &sums) {
  linalg::LinalgOp op = phases.contraction;
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands()) {
    FailureOr<Value> tiled = tileOperand(*input, iteration);
    if (failed(tiled))
      return failure();
    operands.push_back(*tiled);
  }
  if (rowSum)
    sums.back() = tileRowSum(operands.front(), sums.back());
  operands.push_back(sums.front());
  sums.front() = cloneTile(op, operands, iteration)->getResult(0);
  return success();
}

/// A loop over a range; `body` has the index, and adds to the sums.
LogicalResult
ProducerTiler::emitLoop(LoopRange range, int64_t step,
                        SmallVectorImpl<Value> &sums,
                        llvm::function_ref<LogicalResult(Value)> body) {
  linalg::LinalgOp op = phases.contraction;
  Location loc = op.getLoc();
  auto toValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, value);
  };
  auto loop = scf::ForOp::create(
      rewriter, loc, toValue(rewriter.getIndexAttr(0)), toValue(range.length),
      toValue(rewriter.getIndexAttr(step)), sums);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  AffineExpr first, distance;
  bindDims(rewriter.getContext(), first, distance);
  Value index = toValue(affine::makeComposedFoldedAffineApply(
      rewriter, loc, first + distance,
      {range.first, OpFoldResult(loop.getInductionVar())}));
  addToBlock(index, step);
  sums.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  if (failed(body(index)))
    return failure();
  scf::YieldOp::create(rewriter, loc, sums);
  sums.assign(loop.getResults().begin(), loop.getResults().end());
  return success();
}

/// The contraction in a nest of `loops`, the first outermost.
LogicalResult ProducerTiler::emitReductions(ArrayRef<unsigned> loops,
                                            Tile iteration,
                                            SmallVectorImpl<Value> &sums) {
  linalg::LinalgOp op = phases.contraction;
  if (loops.empty())
    return emitBlock(iteration, sums);
  unsigned loop = loops.front();
  bool isBlocked = loop + 1 == op.getNumLoops();
  iteration.sizes[loop] = isBlocked ? getBlockK() : 1;
  return emitLoop(ranges[loop], iteration.sizes[loop], sums, [&](Value index) {
    iteration.offsets[loop] = index;
    return emitReductions(loops.drop_front(), iteration, sums);
  });
}

/// The same in one loop over the blocks of all images.
LogicalResult ProducerTiler::emitImages(Tile iteration,
                                        SmallVectorImpl<Value> &sums) {
  linalg::LinalgOp op = phases.contraction;
  int64_t size = getBlockK();
  int64_t blocks = llvm::divideCeil(op.getStaticLoopRanges().back(), size);
  iteration.sizes.front() = 1;
  iteration.sizes.back() = size;
  return emitLoop(ranges.front(), /*step=*/1, sums, [&](Value number) {
    IndexMath math(rewriter, op.getLoc());
    iteration.offsets.front() = math.div(number, blocks);
    iteration.offsets.back() = math.mul(math.rem(number, blocks), size);
    return emitBlock(iteration, sums);
  });
}
