//===- TilePlainKernels.cpp - F2 to F3 without tensor cores ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  what conv-tile-to-workgroups left: linalg operations, conv.im2col
//         into a workspace, conv.scatter of what is no contraction.
// Output: for each root an scf.forall over threads of the grid, in which tiles
//         of the root and of what only it reads are computed.
//
// Roots are found from the end of the function on, so that a producer has
// been fused wherever it could be when its turn comes.
//
//===----------------------------------------------------------------------===//

#include "PlainKernels.h"
#include "PlainPreparation.h"
#include "TransposedLoops.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Transforms/PlainKernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVTILEPLAINKERNELS
#include "conv/Transforms/PlainKernels/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static bool isVirtualMatrix(Operation *op) {
  auto matrix = dyn_cast_or_null<Im2colOp>(op);
  return matrix && matrix.getOffsets().empty() && !matrix.getDest();
}

static int64_t getNumElements(Type type) {
  return cast<ShapedType>(type).getNumElements();
}

static bool isReduction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0;
}

namespace {

/// Tiles one root, and into its loop what only the root reads.
class PlainTiler {
public:
  PlainTiler(RewriterBase &rewriter, Operation *root)
      : rewriter(rewriter), root(root), loc(root->getLoc()) {
    rewriter.setInsertionPoint(root);
    collectCluster();
  }

  LogicalResult tile();

private:
  void collectCluster();
  bool belongs(Operation *producer) const;
  bool isReadOnce(Operation *producer) const;
  bool readsAlongChannels(Im2colOp matrix) const;
  bool sumsAtDistances() const;
  SmallVector<Type> getAccessTypes(TypeRange rootTypes) const;
  SmallVector<int64_t> getTileSizes(ArrayRef<int64_t> extents,
                                    TypeRange types) const;
  DepthwiseOp getDepthwise() const;
  SmallVector<int64_t> getLoopOrder(size_t rank) const;
  scf::ForallOp movePartsIn(scf::ForallOp loop);
  bool isAlone() const;
  int64_t countSummed() const;
  std::optional<unsigned> prepareTransposition(linalg::LinalgOp op);
  LogicalResult tileLinalg(linalg::LinalgOp op);
  LogicalResult tileScatter(ScatterOp op);
  LogicalResult fuseProducers(scf::ForallOp loop,
                              SmallVector<Operation *> slices);
  LogicalResult serializeReductions(scf::ForallOp loop);

  RewriterBase &rewriter;
  Operation *root;
  Location loc;
  DenseSet<Operation *> cluster; ///< The root, and what goes with it.
};

} // namespace

//===----------------------------------------------------------------------===//
// What goes with a root
//===----------------------------------------------------------------------===//

/// Whether its one reader, in the cluster, computes as many elements as the
/// root and reads each element at most once: all of its loops index it.
bool PlainTiler::isReadOnce(Operation *producer) const {
  if (!producer->hasOneUse() || isa<ScatterOp>(root))
    return false;
  OpOperand &use = *producer->use_begin();
  auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!reader || isReduction(reader) ||
      getNumElements(reader->getResult(0).getType()) !=
          getNumElements(root->getResult(0).getType()))
    return false;
  AffineMap map = reader.getMatchingIndexingMap(&use);
  return llvm::all_of(llvm::seq<unsigned>(reader.getNumLoops()),
                      [&](unsigned loop) {
                        return llvm::is_contained(
                            map.getResults(), rewriter.getAffineDimExpr(loop));
                      });
}

/// Whether a reduction reads it step by step. What was not fused into its body
/// would want memory for all steps of a thread.
static bool isSummed(Operation *producer) {
  return llvm::any_of(producer->getUses(), [](OpOperand &use) {
    auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return reader && isReduction(reader) && reader.isDpsInput(&use);
  });
}

/// Whether all that `producer` makes is read in the cluster, and nothing that
/// is expensive would be computed twice there.
bool PlainTiler::belongs(Operation *producer) const {
  if (isa<DepthwiseOp>(producer))
    return llvm::all_of(producer->getUsers(),
                        [&](Operation *user) { return user == root; });
  if (!isa<linalg::LinalgOp>(producer) || !isPlainOp(producer) ||
      readsAtDistances(producer) || readsDepthwise(producer) ||
      isSummedGather(producer))
    return false;
  auto isInside = [&](Operation *user) { return cluster.contains(user); };
  if (!llvm::all_of(producer->getUsers(), isInside) || isSummed(producer))
    return false;
  // What is updated would have a place in each reader's loop.
  if (!isReduction(producer))
    return !updatesDestination(producer);
  if (isReadOnce(producer))
    return true;
  Value value = isa<ScatterOp>(root) ? cast<ScatterOp>(root).getValue()
                                     : root->getResult(0);
  return getNumElements(producer->getResult(0).getType()) ==
         getNumElements(value.getType());
}

void PlainTiler::collectCluster() {
  SmallVector<Operation *> candidates;
  auto insert = [&](Operation *op) {
    cluster.insert(op);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->getBlock() == root->getBlock() &&
          !llvm::is_contained(candidates, producer))
        candidates.push_back(producer);
  };
  insert(root);
  // Users come before producers on the way to the front.
  while (!candidates.empty()) {
    auto last = llvm::max_element(candidates, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    Operation *op = *last;
    candidates.erase(last);
    if (isVirtualMatrix(op) || isa<linalg::FillOp>(op) || belongs(op))
      insert(op);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether neighbours along the root's last dimension are neighbouring channels
/// of the matrix: only these are one access.
bool PlainTiler::readsAlongChannels(Im2colOp matrix) const {
  return llvm::all_of(matrix->getUses(), [&](OpOperand &use) {
    if (use.getOwner() != root || isa<ScatterOp>(root))
      return use.getOwner() == root;
    auto op = cast<linalg::LinalgOp>(root);
    AffineMap map = op.getMatchingIndexingMap(&use);
    unsigned last = op.getNumParallelLoops() - 1;
    return map.getResults().back() == rewriter.getAffineDimExpr(last) &&
           llvm::none_of(map.getResults().drop_back(), [&](AffineExpr index) {
             return index.isFunctionOfDim(last);
           });
  });
}

/// Whether neighbours along a loop are read at a distance.
static bool isStridedAlong(linalg::LinalgOp op, unsigned loop) {
  MLIRContext *context = op->getContext();
  auto at = [&](AffineExpr index, int64_t position) {
    SmallVector<AffineExpr> dims(op.getNumLoops(),
                                 getAffineConstantExpr(0, context));
    dims[loop] = getAffineConstantExpr(position, context);
    return cast<AffineConstantExpr>(index.replaceDims(dims)).getValue();
  };
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return llvm::any_of(op.getMatchingIndexingMap(input).getResults(),
                        [&](AffineExpr index) {
                          int64_t distance = at(index, 1) - at(index, 0);
                          return distance != 0 && distance != 1;
                        });
  });
}

/// Whether a sum (a pooling) in the cluster reads neighbours along the root's
/// last dimension at a distance: these are no access. Of one that the root does
/// not read itself this is not known, so that none of its loops may be such.
bool PlainTiler::sumsAtDistances() const {
  return llvm::any_of(cluster, [&](Operation *other) {
    auto op = dyn_cast<linalg::LinalgOp>(other);
    if (!op || !isReduction(op))
      return false;
    unsigned last = op.getNumParallelLoops() - 1;
    if (op == root)
      return isStridedAlong(op, last);
    auto reader = dyn_cast<linalg::GenericOp>(root);
    if (!reader || !op->hasOneUse() || *op->user_begin() != root)
      return llvm::any_of(llvm::seq<unsigned>(last + 1), [&](unsigned loop) {
        return isStridedAlong(op, loop);
      });
    AffineExpr dim =
        rewriter.getAffineDimExpr(reader.getNumParallelLoops() - 1);
    AffineMap read = reader.getMatchingIndexingMap(&*op->use_begin());
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (auto [index, made] :
         llvm::zip_equal(read.getResults(), result.getResults()))
      if (index == dim &&
          isStridedAlong(op, cast<AffineDimExpr>(made).getPosition()))
        return true;
    return false;
  });
}

/// What decides how wide an access is: that of the root, but where there is a
/// reduction, which reads more than the root writes, that of the reduction.
SmallVector<Type> PlainTiler::getAccessTypes(TypeRange rootTypes) const {
  SmallVector<Type> types;
  for (Operation *op : cluster)
    if (isReduction(op))
      llvm::append_range(
          types,
          TypeRange(ValueRange(cast<linalg::LinalgOp>(op).getDpsInputs())));
  return types.empty() ? SmallVector<Type>(rootTypes) : types;
}

/// The depthwise convolution with a schedule in the cluster; null if there is
/// none.
DepthwiseOp PlainTiler::getDepthwise() const {
  for (Operation *op : cluster)
    if (auto depthwise = dyn_cast<DepthwiseOp>(op);
        depthwise && depthwise.getScheduleAttr())
      return depthwise;
  return nullptr;
}

/// Threads that read the same elements belong to one workgroup, whose L1 cache
/// has them then: with channels last, lines that are read for the same taps,
/// which come before the places in a line. Empty where loops are in the order
/// of the result.
SmallVector<int64_t> PlainTiler::getLoopOrder(size_t rank) const {
  DepthwiseOp depthwise = getDepthwise();
  if (!depthwise || depthwise.getChannelsFirst() || rank <= 3)
    return {};
  auto order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(order[rank - 2], order[rank - 3]);
  return order;
}

/// With channels first, threads that sum parts of an image are neighbours,
/// since they read neighbouring blocks; but those of a filter's lines, which
/// read the same dy, are closer.
scf::ForallOp PlainTiler::movePartsIn(scf::ForallOp loop) {
  DepthwiseOp depthwise;
  loop.walk([&](DepthwiseOp op) { depthwise = op; });
  if (!depthwise || !depthwise.getChannelsFirst() || depthwise.getParts() == 1)
    return loop;
  unsigned firstTap = depthwise.getFirstSpatialDim();
  return splitIndices(rewriter, loop, {{0, depthwise.getParts(), firstTap}});
}

/// The sizes of a thread's tile: single elements, but along the last dimension.
SmallVector<int64_t> PlainTiler::getTileSizes(ArrayRef<int64_t> extents,
                                              TypeRange types) const {
  SmallVector<int64_t> sizes(extents.size(), 1);
  if (DepthwiseOp depthwise = getDepthwise()) {
    ArrayRef<int64_t> tile = depthwise.getScheduleAttr().getTile();
    int64_t last = depthwise.getFirstSpatialDim() +
                   depthwise.getView().getSpatialRank() - 1;
    sizes[last] = tile[0];
    sizes[depthwise.getChannelDim()] = tile[1];
    return sizes;
  }
  bool isWide = !sumsAtDistances() && llvm::all_of(cluster, [&](Operation *op) {
    auto matrix = dyn_cast<Im2colOp>(op);
    return !matrix || readsAlongChannels(matrix);
  });
  // Of a short row that is gathered all positions are constants.
  constexpr int64_t mostOfRow = 32;
  auto op = dyn_cast<linalg::LinalgOp>(root);
  if (op && extents.back() <= mostOfRow && !isReduction(op) && isRowGather(op))
    sizes.back() = extents.back();
  else if (isWide)
    sizes.back() = getPlainWidth(extents.back(), getAccessTypes(types));
  return sizes;
}

/// Whether nothing else is in the root's loop.
bool PlainTiler::isAlone() const {
  return !isReduction(root) && llvm::all_of(cluster, [&](Operation *other) {
    return other == root || isa<linalg::FillOp>(other);
  });
}

/// Lanes that read a sector of four bytes each.
static constexpr int64_t kLanesOfSector = 8;

/// How many numbers are summed for each element; 0 where none are.
int64_t PlainTiler::countSummed() const {
  int64_t most = 0;
  for (Operation *other : cluster) {
    auto op = dyn_cast<linalg::LinalgOp>(other);
    if (!op || !isReduction(op))
      continue;
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    most = std::max(most, llvm::product_of(ArrayRef(extents).drop_front(
                              op.getNumParallelLoops())));
  }
  return most;
}

/// Makes a parallel loop of a parallel operation its innermost one.
static void moveLoopToEnd(RewriterBase &rewriter, linalg::LinalgOp op,
                          unsigned loop) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(op.getNumLoops()));
  order.erase(order.begin() + loop);
  order.push_back(loop);
  (void)linalg::interchangeGenericOp(
      rewriter, cast<linalg::GenericOp>(op.getOperation()), order);
}

/// The loop of a transposition that blocks or lanes are to lie across, if any.
/// Few loops inside of that of a sum (the taps of a filter) leave whole sectors
/// to the warps of a workgroup, or come to stand outside of it where there are
/// so many parts that nothing but how they are read counts.
std::optional<unsigned> PlainTiler::prepareTransposition(linalg::LinalgOp op) {
  constexpr int64_t manyParts = 32;
  int64_t parts = isReduction(op) ? 0 : countSummed();
  if (!isAlone() && parts == 0)
    return std::nullopt;
  std::optional<unsigned> across = getTransposedLoop(op);
  if (!across || parts == 0 ||
      llvm::product_of(
          ArrayRef(op.getStaticLoopRanges()).drop_front(*across + 1),
          kLanesOfSector) > kPlainThreads)
    return across;
  if (parts >= manyParts)
    moveLoopToEnd(rewriter, op, *across);
  return std::nullopt;
}

LogicalResult PlainTiler::tileLinalg(linalg::LinalgOp op) {
  size_t parallel = op.getNumParallelLoops();
  if (parallel == 0 || parallel > kMaxPlainRank)
    return op->emitOpError("has no kernel: a result must have 1 to ")
           << kMaxPlainRank << " dimensions, but this has " << parallel;
  std::optional<unsigned> across = prepareTransposition(op);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> sizes = getTileSizes(
      ArrayRef(extents).take_front(parallel), op->getOperandTypes());
  // Blocks of more than eight elements each way do not fit the registers; a
  // warp has about a square of them. What has a sum in its loop reads elements:
  // as many lanes as read a sector of four bytes each.
  constexpr int64_t mostOfBlock = 8, lanes = 32;
  int64_t lanesAcross = kLanesOfSector;
  if (across && isAlone()) {
    sizes.back() = std::min(sizes.back(), mostOfBlock);
    sizes[*across] = std::min(
        getPlainWidth(extents[*across], op->getOperandTypes()), mostOfBlock);
    lanesAcross = lanes / sizes[*across];
  }
  scf::SCFTilingOptions options;
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp)
      .setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), sizes))
      .setMapping(getPlainMapping(rewriter.getContext(), parallel));
  options.setInterchange(getLoopOrder(parallel));
  FailureOr<scf::SCFTilingResult> result = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(result))
    return op->emitOpError("could not be divided among threads");
  auto loop = cast<scf::ForallOp>(result->loops.front());
  if (failed(fuseProducers(loop, result->generatedSlices)))
    return failure();
  rewriter.replaceOp(op, result->replacements);
  if (across)
    loop = interleaveLanes(rewriter, loop, *across, lanesAcross);
  loop = movePartsIn(loop);
  return serializeReductions(loop);
}

/// By hand, since a tile of a scatter is no slice of its destination.
LogicalResult PlainTiler::tileScatter(ScatterOp op) {
  SmallVector<int64_t> extents = op.getFullShape();
  bool dropsTap = extents.size() > size_t(op.getValueType().getRank());
  if (dropsTap)
    extents.erase(extents.begin() + op.getView().getTapDim());
  SmallVector<int64_t> sizes = getTileSizes(extents, op.getValue().getType());
  SmallVector<OpFoldResult> counts;
  for (auto [extent, size] : llvm::zip_equal(extents, sizes))
    counts.push_back(rewriter.getIndexAttr(extent / size));
  SmallVector<Attribute> mapping =
      getPlainMapping(rewriter.getContext(), counts.size());
  auto loop = scf::ForallOp::create(rewriter, loc, counts, op.getDest(),
                                    rewriter.getArrayAttr(mapping));

  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<OpFoldResult> offsets;
  for (auto [index, size] : llvm::zip_equal(loop.getInductionVars(), sizes))
    offsets.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineDimExpr(0) * size, {index}));
  auto slice = tensor::ExtractSliceOp::create(
      rewriter, loc, op.getValue(), offsets,
      getAsIndexOpFoldResult(rewriter.getContext(), sizes),
      SmallVector<OpFoldResult>(sizes.size(), rewriter.getIndexAttr(1)));
  if (dropsTap)
    offsets.insert(offsets.begin() + op.getView().getTapDim(),
                   rewriter.getIndexAttr(0));
  SmallVector<Value> positions =
      getValueOrCreateConstantIndexOp(rewriter, loc, offsets);
  rewriter.setInsertionPointToStart(loop.getTerminator().getBody());
  ScatterOp::create(rewriter, loc, TypeRange(), slice,
                    loop.getRegionIterArgs().front(), positions, op.getView());

  if (failed(fuseProducers(loop, {slice})))
    return failure();
  rewriter.replaceOp(op, loop.getResults());
  return serializeReductions(loop);
}

/// Computes in the loop what the slices take of the cluster's results.
LogicalResult PlainTiler::fuseProducers(scf::ForallOp loop,
                                        SmallVector<Operation *> slices) {
  SmallVector<LoopLikeOpInterface> loops = {loop};
  while (!slices.empty()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(slices.pop_back_val());
    if (!slice)
      continue;
    Value source = slice.getSource();
    if (OpOperand *init = loop.getTiedLoopInit(dyn_cast<BlockArgument>(source)))
      source = init->get();
    Operation *producer = source.getDefiningOp();
    if (!cluster.contains(producer))
      continue;
    std::optional<scf::SCFFuseProducerOfSliceResult> fused =
        scf::tileAndFuseProducerOfSlice(rewriter, slice, loops);
    if (!fused)
      return producer->emitOpError("could not be computed where it is used");
    llvm::append_range(slices, fused->generatedSlices);
    // Or the producer would look as if it were still in use.
    if (slice->use_empty())
      rewriter.eraseOp(slice);
  }
  return success();
}

/// Reductions inside of the loop: one step after another. Virtual matrices
/// follow.
LogicalResult PlainTiler::serializeReductions(scf::ForallOp loop) {
  SmallVector<linalg::LinalgOp> ops;
  loop.walk([&](linalg::LinalgOp op) {
    if (isReduction(op))
      ops.push_back(op);
  });
  for (linalg::LinalgOp op : ops) {
    SmallVector<int64_t> sizes(op.getNumLoops(), 0);
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    for (unsigned dim : reductions)
      sizes[dim] = 1;
    scf::SCFTileAndFuseOptions options;
    options.tilingOptions.setTileSizes(
        getAsIndexOpFoldResult(rewriter.getContext(), sizes));
    options.setFusionControlFn(
        [](tensor::ExtractSliceOp, OpResult producer,
           bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
          if (isa<Im2colOp>(producer.getOwner()))
            return scf::SCFTileAndFuseOptions::ControlFnResult{};
          return std::nullopt;
        });
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTileAndFuseResult> result =
        scf::tileConsumerAndFuseProducersUsingSCF(
            rewriter, cast<TilingInterface>(op.getOperation()), options);
    if (failed(result))
      return op->emitOpError("could not be reduced step by step");
    for (Value value : op->getResults())
      rewriter.replaceAllUsesWith(value, result->replacements.lookup(value));
    rewriter.eraseOp(op);
  }
  return normalizeForallOp(rewriter, loop);
}

LogicalResult PlainTiler::tile() {
  for (Operation *op : cluster)
    if (auto matrix = dyn_cast<Im2colOp>(op);
        matrix && getNumElements(matrix.getResult().getType()) !=
                      ShapedType::getNumElements(matrix.getFullShape()))
      return matrix.emitOpError("has no kernel: it pads its matrix");
  if (auto scatter = dyn_cast<ScatterOp>(root))
    return tileScatter(scatter);
  return tileLinalg(cast<linalg::LinalgOp>(root)); // See tileRoot.
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// An operation without elements to compute leaves its destination as it is.
static bool isEmpty(Operation *op) {
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return getNumElements(scatter.getValueType()) == 0;
  return getNumElements(op->getResult(0).getType()) == 0;
}

static LogicalResult tileRoot(RewriterBase &rewriter, Operation *op) {
  if (isOpTriviallyDead(op)) {
    rewriter.eraseOp(op);
    return success();
  }
  if (op->getNumResults() == 0)
    return op->emitOpError("has no kernel: it is not on tensors");
  if (isVirtualMatrix(op))
    return op->emitOpError("is read by an operation that has no kernel: ")
           << (*op->user_begin())->getName();
  if (isa<DepthwiseOp>(op))
    return op->emitOpError("has no kernel of its own: expected one operation "
                           "of linalg, and no other, that reads its result");
  if (isEmpty(op)) {
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    rewriter.replaceOp(op, destination
                               ? ValueRange(destination.getDpsInits())
                               : ValueRange(cast<ScatterOp>(op).getDest()));
    return success();
  }
  return PlainTiler(rewriter, op).tile();
}

namespace {
struct ConvTilePlainKernels
    : public conv::impl::ConvTilePlainKernelsBase<ConvTilePlainKernels> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (failed(preparePlainOps(function)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> roots;
    for (Block &block : function.getBody())
      for (Operation &op : block)
        if (isPlainOp(&op))
          roots.push_back(&op);
    for (Operation *root : llvm::reverse(roots))
      if (failed(tileRoot(rewriter, root)))
        return signalPassFailure();
  }
};
} // namespace
