//===- TileToWorkgroups.cpp - F2 to F3 ------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conv.scatter that completes a result, and those before it that write
// other stride phases, become one scf.forall over the tiles of all phases. What
// makes a tile's value is cloned into it (TileProducers.h). Which tile that is
// follows from the indices of the forall (ResultTiles.h).
//
// Where the schedule splits gemm-k, one more index in front of the others
// numbers the parts (SplitReduction.h). Where it does so in the last round
// only, one index numbers whole tiles and parts of tiles (TailTiles.h).
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Transforms/Tiling/Passes.h"

#include "BiasGradient.h"
#include "BlockMapping.h"
#include "ContractionSchedule.h"
#include "DepthwiseTiles.h"
#include "ResultTiles.h"
#include "SplitReduction.h"
#include "TailTiles.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/Depthwise.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Conv/IR/TailParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVTILETOWORKGROUPS
#include "conv/Transforms/Tiling/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Tiles one result.
class ResultTiler {
public:
  ResultTiler(RewriterBase &rewriter, const StridePhases &phases)
      : rewriter(rewriter), phases(phases), loc(phases.front().getLoc()),
        contraction(phases.contraction),
        schedule(contraction->getAttrOfType<ScheduleAttr>(
            ScheduleAttr::attributeName())),
        split(schedule.getSplit()), tiles(rewriter, phases, schedule) {
    if (hasTail(schedule))
      tail.emplace(schedule, tiles.getCounts(), countBlocks(),
                   getChip(contraction));
    rowSums.emplace(rewriter, contraction, phases.front(), tiles.getTileSizes(),
                    tail ? schedule.getTail() : split, tail ? &*tail : nullptr);
  }

  LogicalResult tile();

private:
  SmallVector<int64_t> getLoopCounts() const;
  scf::ForallOp createForall(ValueRange dests);
  int64_t countBlocks();
  SmallVector<LoopRange> getLoopRanges(Value part, Value isPart);
  SmallVector<LoopRange> getLoopRanges(const TailItems::Item &item);
  SmallVector<LoopRange> getRangesInside();
  LoopRange getPartRange(Value part, Value isPart, int64_t extent,
                         int64_t blockSize);
  void emitScatter(scf::ForallOp forall, Value value, const Tile &tile,
                   Value part, Value condition = Value());
  void emitPartScatter(scf::ForallOp forall, Value value,
                       const TailItems::Item &item);
  LogicalResult emitTile(scf::ForallOp forall);
  LogicalResult emitItem(scf::ForallOp forall);
  FailureOr<scf::ForallOp> emitItems();
  FailureOr<Value> tileWithTail();
  /// Of the loop over items, the place of the workspace among the results.
  unsigned getWorkspaceResult() const { return tail->getNumWhole() > 0; }
  Value multiply(Value number, int64_t factor);

  RewriterBase &rewriter;
  const StridePhases &phases;
  Location loc;
  linalg::LinalgOp contraction;
  ScheduleAttr schedule;
  int64_t split;
  ResultTiles tiles;
  std::optional<TailItems> tail;
  std::optional<RowSumTiler> rowSums; ///< Of the left operand.
};

} // namespace

//===----------------------------------------------------------------------===//
// The workgroups
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ResultTiler::getLoopCounts() const {
  if (tail)
    return tail->getLoopCounts();
  SmallVector<int64_t> counts = tiles.getCounts();
  if (split > 1)
    counts.insert(counts.begin(), split);
  return counts;
}

scf::ForallOp ResultTiler::createForall(ValueRange dests) {
  SmallVector<OpFoldResult> counts =
      getAsIndexOpFoldResult(rewriter.getContext(), getLoopCounts());
  auto forall = scf::ForallOp::create(rewriter, loc, counts, dests,
                                      getBlockMapping(rewriter, counts.size()));
  forall->setAttr(ScheduleAttr::attributeName(), schedule);
  return forall;
}

Value ResultTiler::multiply(Value number, int64_t factor) {
  return getValueOrCreateConstantIndexOp(
      rewriter, loc,
      affine::makeComposedFoldedAffineApply(
          rewriter, loc, rewriter.getAffineDimExpr(0) * factor, {number}));
}

//===----------------------------------------------------------------------===//
// Parts of gemm-k
//===----------------------------------------------------------------------===//

/// Blocks of a part: as many as of any other, or one more. Without a part, all,
/// and so where `isPart` is false: then it is part 0. Null: always.
LoopRange ResultTiler::getPartRange(Value part, Value isPart, int64_t extent,
                                    int64_t blockSize) {
  int64_t blocks = llvm::divideCeil(extent, blockSize);
  OpFoldResult all = rewriter.getIndexAttr(blocks * blockSize);
  if (!part)
    return {rewriter.getIndexAttr(0), all};
  int64_t parts = isPart ? schedule.getTail() : split;
  int64_t each = blocks / parts, more = blocks % parts;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto ofPart = [&](OpFoldResult length) -> OpFoldResult {
    if (!isPart)
      return length;
    auto toValue = [&](OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, value);
    };
    return OpFoldResult(arith::SelectOp::create(rewriter, loc, isPart,
                                                toValue(length), toValue(all)));
  };
  if (more == 0)
    return {multiply(part, each * blockSize),
            ofPart(rewriter.getIndexAttr(each * blockSize))};
  Value before = arith::MinUIOp::create(rewriter, loc, part, constant(more));
  AffineExpr p, b;
  bindDims(rewriter.getContext(), p, b);
  Value isLonger = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ult, part, constant(more));
  Value length = arith::SelectOp::create(rewriter, loc, isLonger,
                                         constant((each + 1) * blockSize),
                                         constant(each * blockSize));
  return {affine::makeComposedFoldedAffineApply(
              rewriter, loc, (p * each + b) * blockSize,
              {OpFoldResult(part), OpFoldResult(before)}),
          ofPart(length)};
}

/// The blocks of the outermost loop over gemm-k.
int64_t ResultTiler::countBlocks() {
  SmallVector<int64_t> extents = contraction.getStaticLoopRanges();
  int64_t blocks = llvm::divideCeil(extents.back(), schedule.getTile()[2]);
  return hasBlocksOfImages(contraction) ? extents.front() * blocks : blocks;
}

/// Those of all reductions but the last one. Which of them has the blocks, the
/// last one or that over images, is not in parts yet.
SmallVector<LoopRange> ResultTiler::getRangesInside() {
  SmallVector<LoopRange> ranges(contraction.getNumLoops());
  SmallVector<unsigned> reductions;
  contraction.getReductionDims(reductions);
  for (unsigned loop : ArrayRef(reductions).drop_back())
    ranges[loop] = {rewriter.getIndexAttr(0),
                    tiles.lookUp(phases.getLoopExtents(loop))};
  return ranges;
}

SmallVector<LoopRange> ResultTiler::getLoopRanges(const TailItems::Item &item) {
  if (!item.blocks)
    return getLoopRanges(item.part, item.isPart);
  SmallVector<LoopRange> ranges = getRangesInside();
  if (hasBlocksOfImages(contraction)) {
    ranges.front() = {OpFoldResult(item.firstBlock), OpFoldResult(item.blocks)};
  } else {
    int64_t size = schedule.getTile()[2];
    ranges.back() = {OpFoldResult(multiply(item.firstBlock, size)),
                     OpFoldResult(multiply(item.blocks, size))};
  }
  return ranges;
}

SmallVector<LoopRange> ResultTiler::getLoopRanges(Value part, Value isPart) {
  SmallVector<LoopRange> ranges = getRangesInside();
  SmallVector<unsigned> reductions;
  contraction.getReductionDims(reductions);
  // Parts have blocks of channels (rows, for wgrad), of one or all images; or
  // taps, where there are more parts than blocks of channels.
  SmallVector<int64_t> extents = contraction.getStaticLoopRanges();
  int64_t blockK = schedule.getTile()[2];
  if (hasBlocksOfImages(contraction)) {
    int64_t blocks = llvm::divideCeil(extents.back(), blockK);
    ranges.front() = getPartRange(part, isPart, extents.front() * blocks,
                                  /*blockSize=*/1);
    return ranges;
  }
  int64_t parts = isPart ? schedule.getTail() : split;
  unsigned first = reductions.front();
  bool dividesTaps = part && reductions.size() > 1 &&
                     parts > int64_t(llvm::divideCeil(extents.back(), blockK));
  if (dividesTaps)
    ranges[first] = getPartRange(part, isPart, extents[first], /*blockSize=*/1);
  ranges.back() = getPartRange(dividesTaps ? Value() : part, isPart,
                               extents.back(), blockK);
  return ranges;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

void ResultTiler::emitScatter(scf::ForallOp forall, Value value,
                              const Tile &tile, Value part, Value condition) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<OpFoldResult> offsets = tile.offsets;
  SmallVector<ViewAttr> views = phases.getScatterViews();
  ViewAttr view = views.front();
  if (offsets.size() + 1 == view.getMatrixRank())
    offsets.insert(offsets.begin() + view.getTapDim(),
                   rewriter.getIndexAttr(0));
  if (part) {
    bool isGrouped = view.getRowDim() > 0;
    OpFoldResult group =
        getWorkspaceGroup(rewriter, loc, view, part,
                          isGrouped ? offsets.front() : OpFoldResult());
    if (isGrouped)
      offsets.erase(offsets.begin());
    offsets.insert(offsets.begin(), group);
    for (ViewAttr &ofPhase : views)
      ofPhase = getWorkspaceView(ofPhase, split);
  }
  SmallVector<Value> positions =
      getValueOrCreateConstantIndexOp(rewriter, loc, offsets);
  rewriter.setInsertionPointToStart(forall.getTerminator().getBody());
  ScatterOp::create(
      rewriter, loc, TypeRange(), value, forall.getRegionIterArgs().front(),
      positions, condition, tiles.getPhase(),
      rewriter.getArrayAttr(llvm::to_vector_of<Attribute>(views)),
      phases.front().getChannelsFirstAttr(), phases.front().getZeroFillAttr());
}

/// The bare sums of a part of a tile, into its slot of the workspace.
void ResultTiler::emitPartScatter(scf::ForallOp forall, Value value,
                                  const TailItems::Item &item) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<int64_t> sizes = tiles.getTileSizes();
  unsigned rowDim = phases.front().getView().getRowDim();
  ViewAttr view = getTailWorkspaceView(rewriter.getContext(), sizes, rowDim);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  SmallVector<Value> positions = {multiply(item.slot, sizes[rowDim]), zero,
                                  zero};
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  ScatterOp::create(rewriter, loc, TypeRange(), value,
                    forall.getRegionIterArgs()[getWorkspaceResult()], positions,
                    item.isPart,
                    /*phase=*/Value(), rewriter.getArrayAttr(view),
                    /*channels_first=*/UnitAttr(), /*zero_fill=*/UnitAttr());
}

/// The scatter of the phases that comes last in the block.
static ScatterOp getLast(const StridePhases &phases) {
  ScatterOp last = phases.front();
  for (ScatterOp scatter : phases.scatters)
    if (last->isBeforeInBlock(scatter))
      last = scatter;
  return last;
}

/// The tensor into which the first scatter of the chain writes.
static Value getDest(const StridePhases &phases) {
  ScatterOp first = phases.front();
  for (ScatterOp scatter : phases.scatters)
    if (scatter->isBeforeInBlock(first))
      first = scatter;
  return first.getDest();
}

/// What a workgroup does for a tile, or for a part of one.
LogicalResult ResultTiler::emitTile(scf::ForallOp forall) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(forall.getBody());
  SmallVector<Value> indices = forall.getInductionVars();
  Value part = split > 1 ? indices.front() : Value();
  Tile tile = tiles.find(ArrayRef(indices).drop_front(part ? 1 : 0));
  SmallVector<LoopRange> ranges = getLoopRanges(part, /*isPart=*/Value());
  // Parts leave bare sums; the epilogue comes after they are added.
  Value made = part ? contraction->getResult(0) : phases.front().getValue();
  ProducerTiler producers(rewriter, phases, tiles.getPhase(), ranges);
  rowSums->open(producers, tile);
  FailureOr<Value> value = producers.tile(made, tile);
  if (failed(value))
    return failure();
  emitScatter(forall, *value, tile, part);
  rowSums->scatter(forall, producers, tile, part);
  return success();
}

/// The same where items are whole tiles and parts of tiles: one contraction,
/// whose sums go through the epilogue or are left as they are.
LogicalResult ResultTiler::emitItem(scf::ForallOp forall) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(forall.getBody());
  TailItems::Item item = tail->find(rewriter, loc, forall.getInductionVars());
  Tile tile = tiles.find(item.indices);
  SmallVector<LoopRange> ranges = getLoopRanges(item);
  ProducerTiler producers(rewriter, phases, tiles.getPhase(), ranges);
  rowSums->open(producers, tile);
  FailureOr<Value> sums = producers.tile(contraction->getResult(0), tile);
  if (failed(sums))
    return failure();
  if (tail->getNumWhole() > 0) {
    FailureOr<Value> value = producers.tile(phases.front().getValue(), tile);
    if (failed(value))
      return failure();
    emitScatter(forall, *value, tile, /*part=*/Value(), item.isWhole);
  }
  emitPartScatter(forall, *sums, item);
  rowSums->scatter(forall, producers, tile, item.part);
  return success();
}

/// The loop over items, whose results are the whole tiles, if there are any,
/// the workspace, and sums of rows.
FailureOr<scf::ForallOp> ResultTiler::emitItems() {
  RankedTensorType type = getTailWorkspaceType(
      tiles.getTileSizes(), phases.front().getView().getRowDim(),
      tail->getSlots(),
      getElementTypeOrSelf(contraction->getResult(0).getType()));
  SmallVector<Value> dests;
  if (tail->getNumWhole() > 0)
    dests.push_back(getDest(phases));
  dests.push_back(tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType()));
  rowSums->addDest(dests);
  scf::ForallOp forall = createForall(dests);
  if (AffineMap items = tail->getItemsOfWorkgroup(rewriter.getContext()))
    forall->setAttr(kItemsAttrName, AffineMapAttr::get(items));
  if (failed(emitItem(forall)))
    return failure();
  rowSums->finish(forall);
  return forall;
}

FailureOr<Value> ResultTiler::tileWithTail() {
  if (phases.front().getZeroFill())
    return contraction.emitError("a tail has no kernel for results with zeros "
                                 "between their positions");
  if (std::string why = tail->whyNone(); !why.empty())
    return contraction.emitError(why);
  if (tail->isEven() && findRowSum(contraction))
    return contraction.emitError("even parts have no sums of rows");
  FailureOr<scf::ForallOp> forall = emitItems();
  if (failed(forall))
    return failure();
  unsigned workspace = getWorkspaceResult();
  Value result = workspace > 0 ? forall->getResult(0) : getDest(phases);
  return sumTail(rewriter, phases, schedule, *tail, result,
                 forall->getResult(workspace));
}

LogicalResult ResultTiler::tile() {
  ScatterOp last = getLast(phases);
  rewriter.setInsertionPoint(last);
  FailureOr<Value> result;
  if (tail) {
    result = tileWithTail();
  } else {
    Value dest = getDest(phases);
    if (split > 1) {
      RankedTensorType type = getWorkspaceType(phases, split);
      dest = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                     type.getElementType());
    }
    SmallVector<Value> dests = {dest};
    rowSums->addDest(dests);
    scf::ForallOp forall = createForall(dests);
    if (failed(emitTile(forall)))
      return failure();
    result = forall.getResult(0);
    rowSums->finish(forall);
    if (split > 1)
      result = sumParts(rewriter, phases, *result, split);
  }
  if (failed(result))
    return failure();
  rewriter.replaceAllUsesWith(last.getResult(), *result);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Erases scatters that nothing reads any more, the last one first.
static void eraseChain(RewriterBase &rewriter, ScatterOp last) {
  while (last && last->use_empty()) {
    auto before = last.getDest().getDefiningOp<ScatterOp>();
    rewriter.eraseOp(last);
    last = before;
  }
}

/// `chain` has the stride phases of one kernel, in their order.
static LogicalResult tileResult(RewriterBase &rewriter,
                                ArrayRef<ScatterOp> chain) {
  FailureOr<StridePhases> phases = collectStridePhases(chain);
  if (failed(phases) || failed(ResultTiler(rewriter, *phases).tile()))
    return failure();
  eraseChain(rewriter, chain.back());
  return success();
}

/// Whether phases have matrices of their own, in workspaces: explicit im2col.
static bool isSeparate(linalg::LinalgOp contraction) {
  auto schedule =
      contraction->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  return schedule.getAlgorithm() == Algorithm::Im2col;
}

using Chain = SmallVector<ScatterOp>;

/// Of a result that `chain` writes, the scatters that become a kernel each.
static void addKernels(const Chain &chain, SmallVectorImpl<Chain> &kernels) {
  Chain scheduled = llvm::filter_to_vector(chain, [](ScatterOp scatter) {
    return bool(findContraction(scatter.getValue()));
  });
  if (scheduled.empty())
    return;
  if (!isSeparate(findContraction(scheduled.front().getValue())))
    return kernels.push_back(chain);
  for (ScatterOp scatter : scheduled)
    kernels.push_back({scatter});
}

/// The scatters of the results of scheduled contractions, kernel by kernel,
/// each after those into whose result it writes.
static SmallVector<Chain> findKernels(func::FuncOp function) {
  SmallVector<ScatterOp> scatters;
  function.walk([&](ScatterOp op) { scatters.push_back(op); });
  llvm::SmallPtrSet<Operation *, 8> parts;
  SmallVector<Chain> chains, kernels;
  for (ScatterOp scatter : llvm::reverse(scatters)) {
    if (parts.contains(scatter))
      continue;
    chains.push_back(getScatterChain(scatter));
    parts.insert(chains.back().begin(), chains.back().end());
  }
  for (const Chain &chain : llvm::reverse(chains))
    addKernels(chain, kernels);
  return kernels;
}

/// Depthwise sums that are multiplied by tensor cores.
static SmallVector<DepthwiseOp> findBands(func::FuncOp function) {
  SmallVector<DepthwiseOp> ops;
  function.walk([&](DepthwiseOp op) {
    if (multipliesBands(op.getScheduleAttr()) && op.getOffsets().empty())
      ops.push_back(op);
  });
  return ops;
}

/// Checks what stands on contractions, which somebody may have written, against
/// the limits of the target with the widest ones.
static LogicalResult checkSchedules(func::FuncOp function) {
  WalkResult result = function.walk([&](linalg::LinalgOp op) {
    auto schedule =
        op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
    return WalkResult(
        schedule ? checkSchedule(op, schedule, whyCannotRunLater(op, schedule))
                 : success());
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ConvTileToWorkgroups
    : public conv::impl::ConvTileToWorkgroupsBase<ConvTileToWorkgroups> {
  void runOnOperation() override {
    if (failed(checkSchedules(getOperation())))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (const Chain &chain : findKernels(getOperation()))
      if (failed(tileResult(rewriter, chain)))
        return signalPassFailure();
    for (DepthwiseOp op : findBands(getOperation()))
      if (failed(tileDepthwise(rewriter, op)))
        return signalPassFailure();
  }
};
} // namespace
