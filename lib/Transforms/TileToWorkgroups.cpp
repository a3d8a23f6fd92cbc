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
// makes a tile's value is cloned into it (TileProducers.h).
//
// Tiles of phases are numbered one phase after the other. The phase of a tile,
// and all that differs between phases, are found by comparing its number with
// the constant numbers at which phases begin: the code is the same however many
// there are.
//
// Where the schedule splits gemm-k, one more index in front of the others
// numbers the parts (SplitReduction.h).
//
// Where it has clusters, the indices along rows and columns number the
// clusters, and more indices, the last ones, the workgroups of a cluster. A
// workgroup that finds no tile left makes the last one once more.
//
//===----------------------------------------------------------------------===//

#include "conv/Transforms/TilePasses.h"

#include "Clusters.h"
#include "PhaseOrder.h"
#include "SplitReduction.h"
#include "TileProducers.h"
#include "conv/Geometry/WindowBlock.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVTILETOWORKGROUPS
#include "conv/Transforms/TilePasses.h.inc"
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
        split(schedule.getSplit()), clusterM(getClusterM(schedule)),
        clusterN(getClusterN(schedule)), firstTiles(getFirstTiles()) {}

  LogicalResult tile();

private:
  SmallVector<int64_t> getTileSizes() const;
  int64_t countRowTiles(ScatterOp scatter) const;
  int64_t countColumnTiles() const;
  SmallVector<int64_t> getFirstTiles() const;
  SmallVector<int64_t> getFirstClusters() const;
  scf::ForallOp createForall(Value dest);
  void findPhase(Value number);
  OpFoldResult lookUp(ArrayRef<int64_t> values);
  Value getNumberInCluster(Value cluster, Value rank, int64_t size);
  Value clampRow(Value number);
  SmallVector<Value> findTileNumbers(ValueRange indices);
  Tile findTile(ValueRange indices);
  SmallVector<LoopRange> getLoopRanges(Value part);
  LoopRange getChannelRange(Value part);
  void emitScatter(scf::ForallOp forall, Value value, const Tile &tile,
                   Value part);
  Value multiply(Value number, int64_t factor);

  RewriterBase &rewriter;
  const StridePhases &phases;
  Location loc;
  linalg::LinalgOp contraction;
  ScheduleAttr schedule;
  int64_t split, clusterM, clusterN;
  SmallVector<int64_t> firstTiles;
  /// Of the workgroup's tile; null where there is one phase.
  Value phase;
  SmallVector<Value> isPhaseOrLater; ///< By phase; null for the first.
};

} // namespace

/// Rows and channels by the schedule, one group at a time, and one tap unless
/// several share a window.
SmallVector<int64_t> ResultTiler::getTileSizes() const {
  ScatterOp scatter = phases.front();
  ViewAttr view = scatter.getView();
  SmallVector<int64_t> sizes(scatter.getValueType().getRank(), 1);
  sizes[view.getRowDim()] = schedule.getTile()[0];
  sizes.back() = schedule.getTile()[1];
  if (schedule.getWindow() && view.getNumTaps() > 1) {
    int64_t line =
        convmlir::getLineChannels(scatter.getValueType().getShape().back());
    sizes[view.getTapDim()] = sizes.back() / line;
    sizes.back() = line;
  }
  return sizes;
}

/// Tiles along the rows of a phase.
int64_t ResultTiler::countRowTiles(ScatterOp scatter) const {
  int64_t rows = scatter.getFullShape()[scatter.getView().getRowDim()];
  return llvm::divideCeil(rows, schedule.getTile()[0]);
}

int64_t ResultTiler::countColumnTiles() const {
  int64_t columns = phases.front().getValueType().getShape().back();
  return llvm::divideCeil(columns, getTileSizes().back());
}

/// The number along the rows of the first tile of each phase, and of the tile
/// that would follow the last one. A phase begins with a cluster.
SmallVector<int64_t> ResultTiler::getFirstTiles() const {
  SmallVector<int64_t> first = {0};
  for (ScatterOp scatter : phases.scatters)
    first.push_back(first.back() +
                    llvm::alignTo(countRowTiles(scatter), clusterM));
  return first;
}

/// The same, counted in clusters.
SmallVector<int64_t> ResultTiler::getFirstClusters() const {
  return llvm::map_to_vector(firstTiles,
                             [&](int64_t tile) { return tile / clusterM; });
}

//===----------------------------------------------------------------------===//
// The workgroups
//===----------------------------------------------------------------------===//

/// One mapping attribute per dimension, the last one on x. More than three are
/// parts of one linear index.
static ArrayAttr getMapping(Builder &builder, size_t rank) {
  auto first = rank <= 3 ? gpu::MappingId::DimX : gpu::MappingId::LinearDim0;
  SmallVector<Attribute> mapping;
  for (size_t i = rank; i-- > 0;)
    mapping.push_back(gpu::GPUBlockMappingAttr::get(
        builder.getContext(),
        static_cast<gpu::MappingId>(static_cast<size_t>(first) + i)));
  return builder.getArrayAttr(mapping);
}

scf::ForallOp ResultTiler::createForall(Value dest) {
  ScatterOp scatter = phases.front();
  SmallVector<OpFoldResult> counts;
  for (auto [extent, size] :
       llvm::zip_equal(scatter.getValueType().getShape(), getTileSizes()))
    counts.push_back(rewriter.getIndexAttr(llvm::divideCeil(extent, size)));
  counts[scatter.getView().getRowDim()] =
      rewriter.getIndexAttr(firstTiles.back() / clusterM);
  counts.back() =
      rewriter.getIndexAttr(llvm::divideCeil(countColumnTiles(), clusterN));
  if (split > 1)
    counts.insert(counts.begin(), rewriter.getIndexAttr(split));
  if (schedule.getClusterSize() > 1)
    counts.append(
        {rewriter.getIndexAttr(clusterM), rewriter.getIndexAttr(clusterN)});
  auto forall = scf::ForallOp::create(rewriter, loc, counts, dest,
                                      getMapping(rewriter, counts.size()));
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
// Phases
//===----------------------------------------------------------------------===//

/// The phase of the tile with this number along the rows.
void ResultTiler::findPhase(Value number) {
  if (phases.size() == 1)
    return;
  isPhaseOrLater = {Value()};
  for (size_t i = 1; i < phases.size(); ++i) {
    Value start = arith::ConstantIndexOp::create(rewriter, loc, firstTiles[i]);
    isPhaseOrLater.push_back(arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::uge, number, start));
  }
  phase = cast<Value>(
      lookUp(llvm::to_vector(llvm::seq<int64_t>(0, phases.size()))));
}

/// The entry of a table, by phase; a constant where all are equal.
OpFoldResult ResultTiler::lookUp(ArrayRef<int64_t> values) {
  OpFoldResult result = rewriter.getIndexAttr(values.front());
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i] != values[i - 1])
      result = OpFoldResult(arith::SelectOp::create(
          rewriter, loc, isPhaseOrLater[i],
          arith::ConstantIndexOp::create(rewriter, loc, values[i]),
          getValueOrCreateConstantIndexOp(rewriter, loc, result)));
  return result;
}

/// The number of the tile of a workgroup of a cluster, along one dimension.
Value ResultTiler::getNumberInCluster(Value cluster, Value rank, int64_t size) {
  AffineExpr c, r;
  bindDims(rewriter.getContext(), c, r);
  return affine::AffineApplyOp::create(rewriter, loc, c * size + r,
                                       ValueRange{cluster, rank});
}

/// At most that of the phase's last tile.
Value ResultTiler::clampRow(Value number) {
  SmallVector<int64_t> last;
  for (auto [first, scatter] : llvm::zip(firstTiles, phases.scatters))
    last.push_back(first + countRowTiles(scatter) - 1);
  Value limit = getValueOrCreateConstantIndexOp(rewriter, loc, lookUp(last));
  return arith::MinUIOp::create(rewriter, loc, number, limit);
}

/// The numbers of the workgroup's tile along all dimensions of the result, and
/// its phase.
SmallVector<Value> ResultTiler::findTileNumbers(ValueRange indices) {
  unsigned rowDim = phases.front().getView().getRowDim();
  bool hasClusters = schedule.getClusterSize() > 1;
  SmallVector<Value> numbers(indices.drop_back(hasClusters ? 2 : 0));
  if (phases.size() > 1)
    numbers[rowDim] =
        emitPhaseOrder(rewriter, loc, numbers[rowDim], getFirstClusters(),
                       llvm::divideCeil(countColumnTiles(), clusterN) *
                           phases.front().getView().getGroups());
  if (!hasClusters) {
    findPhase(numbers[rowDim]);
    return numbers;
  }
  ValueRange rank = indices.take_back(2);
  numbers[rowDim] = getNumberInCluster(numbers[rowDim], rank[0], clusterM);
  numbers.back() = getNumberInCluster(numbers.back(), rank[1], clusterN);
  findPhase(numbers[rowDim]);
  if (llvm::any_of(phases.scatters, [&](ScatterOp scatter) {
        return countRowTiles(scatter) % clusterM != 0;
      }))
    numbers[rowDim] = clampRow(numbers[rowDim]);
  if (int64_t tiles = countColumnTiles(); tiles % clusterN != 0)
    numbers.back() = arith::MinUIOp::create(
        rewriter, loc, numbers.back(),
        arith::ConstantIndexOp::create(rewriter, loc, tiles - 1));
  return numbers;
}

/// The tile of a workgroup, in its phase.
Tile ResultTiler::findTile(ValueRange indices) {
  Tile tile;
  tile.sizes = getTileSizes();
  unsigned rowDim = phases.front().getView().getRowDim();
  SmallVector<Value> numbers = findTileNumbers(indices);
  AffineExpr number, first;
  bindDims(rewriter.getContext(), number, first);
  for (auto [dim, size] : llvm::enumerate(tile.sizes)) {
    OpFoldResult origin = dim == rowDim
                              ? lookUp(ArrayRef(firstTiles).drop_back())
                              : rewriter.getIndexAttr(0);
    tile.offsets.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, (number - first) * size,
        {OpFoldResult(numbers[dim]), origin}));
  }
  return tile;
}

//===----------------------------------------------------------------------===//
// Parts of gemm-k
//===----------------------------------------------------------------------===//

/// Channel blocks (rows, for wgrad) of a part: as many as of any other, or one
/// more.
LoopRange ResultTiler::getChannelRange(Value part) {
  int64_t blockSize = schedule.getTile()[2];
  int64_t blocks =
      llvm::divideCeil(contraction.getStaticLoopRanges().back(), blockSize);
  int64_t each = blocks / split, more = blocks % split;
  if (split == 1)
    return {rewriter.getIndexAttr(0),
            rewriter.getIndexAttr(blocks * blockSize)};
  if (more == 0)
    return {multiply(part, each * blockSize),
            rewriter.getIndexAttr(each * blockSize)};
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
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
          length};
}

SmallVector<LoopRange> ResultTiler::getLoopRanges(Value part) {
  SmallVector<LoopRange> ranges(contraction.getNumLoops());
  SmallVector<unsigned> reductions;
  contraction.getReductionDims(reductions);
  for (unsigned loop : ArrayRef(reductions).drop_back())
    ranges[loop] = {rewriter.getIndexAttr(0),
                    lookUp(phases.getLoopExtents(loop))};
  ranges.back() = getChannelRange(part);
  return ranges;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

void ResultTiler::emitScatter(scf::ForallOp forall, Value value,
                              const Tile &tile, Value part) {
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
  ScatterOp::create(rewriter, loc, TypeRange(), value,
                    forall.getRegionIterArgs().front(), positions, phase,
                    rewriter.getArrayAttr(llvm::to_vector_of<Attribute>(views)),
                    ScatterOp(phases.front()).getChannelsFirstAttr());
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

LogicalResult ResultTiler::tile() {
  ScatterOp last = getLast(phases);
  rewriter.setInsertionPoint(last);
  Value dest = getDest(phases);
  if (split > 1) {
    RankedTensorType type = getWorkspaceType(phases, split);
    dest = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                   type.getElementType());
  }
  scf::ForallOp forall = createForall(dest);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(forall.getBody());
    SmallVector<Value> indices = forall.getInductionVars();
    Value part = split > 1 ? indices.front() : Value();
    Tile tile = findTile(ArrayRef(indices).drop_front(part ? 1 : 0));
    SmallVector<LoopRange> ranges = getLoopRanges(part);
    // Parts leave bare sums; the epilogue comes after they are added.
    Value made = part ? contraction->getResult(0) : phases.front().getValue();
    FailureOr<Value> value =
        ProducerTiler(rewriter, phases, phase, ranges).tile(made, tile);
    if (failed(value))
      return failure();
    emitScatter(forall, *value, tile, part);
  }
  FailureOr<Value> result = forall.getResult(0);
  if (split > 1)
    result = sumParts(rewriter, phases, forall.getResult(0), split);
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

namespace {
struct ConvTileToWorkgroups
    : public conv::impl::ConvTileToWorkgroupsBase<ConvTileToWorkgroups> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (const Chain &chain : findKernels(getOperation()))
      if (failed(tileResult(rewriter, chain)))
        return signalPassFailure();
  }
};
} // namespace
