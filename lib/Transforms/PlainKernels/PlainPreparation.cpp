//===- PlainPreparation.cpp - operations that can be tiled as they are ----===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  what conv-tile-to-workgroups left in a function: linalg operations of
//         every kind, conv.im2col into a workspace.
// Output: linalg.generic, conv.scatter, and virtual matrices that they read.
//         The loops of each linalg.generic are in the order of its result, then
//         its reductions.
//
// All of it by upstream's transformations; what is decided here is where they
// apply.
//
//===----------------------------------------------------------------------===//

#include "PlainPreparation.h"
#include "PlainKernels.h"
#include "ShortRows.h"
#include "TransposedSlices.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::conv;

template <typename Op> static SmallVector<Op> getPlainOps(func::FuncOp root) {
  SmallVector<Op> ops;
  for (Block &block : root.getBody())
    for (auto op : block.getOps<Op>())
      if (isPlainOp(op))
        ops.push_back(op);
  return ops;
}

//===----------------------------------------------------------------------===//
// One kind of operation
//===----------------------------------------------------------------------===//

/// A matrix with a place in memory becomes a virtual one and a copy of it.
static void separateCopy(RewriterBase &rewriter, Im2colOp op) {
  rewriter.setInsertionPoint(op);
  Value matrix = Im2colOp::create(
                     rewriter, op.getLoc(), TypeRange{op.getResult().getType()},
                     op.getSource(), op.getOffsets(), /*dest=*/Value(),
                     op.getPhase(), op.getViews(), /*async=*/UnitAttr())
                     .getResult();
  rewriter.replaceOpWithNewOp<linalg::CopyOp>(op, matrix, op.getDest());
}

/// Whether it has no iteration: its results are what its destinations hold.
static bool isEmpty(linalg::LinalgOp op) {
  return llvm::is_contained(op.getStaticLoopRanges(), 0);
}

/// Whether an index is a constant or a sum of loops, each with a factor: then
/// the part of it that is constant in a thread's tile is a slice's offset.
static bool isWalk(AffineExpr index) {
  if (isa<AffineConstantExpr>(index))
    return true;
  bool isSum = true;
  index.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (binary && binary.getKind() == AffineExprKind::Add)
      isSum &= !isa<AffineConstantExpr>(binary.getRHS());
    else if (binary)
      isSum &= binary.getKind() == AffineExprKind::Mul;
  });
  return isSum;
}

/// Whether a loop runs backwards in it, as the taps of a flipped filter do.
static bool runsBackwards(AffineExpr index) {
  bool isNegative = false;
  index.walk([&](AffineExpr part) {
    auto constant = dyn_cast<AffineConstantExpr>(part);
    isNegative |= constant && constant.getValue() < 0;
  });
  return isNegative;
}

/// Says which index has no form in a kernel.
static LogicalResult checkIndices(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands())
    for (AffineExpr index : op.getMatchingIndexingMap(&operand).getResults()) {
      if (isWalk(index))
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << index;
      InFlightDiagnostic error =
          op->emitOpError("has no kernel: an index of operand ")
          << operand.getOperandNumber() << " is '" << text
          << "'; expected a constant, or a sum of loops, each times a "
             "constant, without another term";
      if (runsBackwards(index))
        error << "; a convolution with a flipped filter is conv.forward with "
                 "'flip'";
      return error;
    }
  return success();
}

/// Fills and copies stay as they are: upstream folds the one, and takes the
/// other away, place in memory and all, once it is a linalg.generic.
static LogicalResult generalize(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (op.hasDynamicShape())
    return op->emitOpError("has no kernel: its shapes are not static");
  if (failed(checkIndices(op)) || failed(checkBody(op)))
    return failure();
  if (isa<linalg::GenericOp, linalg::FillOp, linalg::CopyOp>(op))
    return success();
  rewriter.setInsertionPoint(op);
  if (failed(linalg::generalizeNamedOp(rewriter, op)))
    return op->emitOpError("has no kernel: it is no linalg.generic");
  return success();
}

/// Without parallel loops, results have no dimensions.
static LogicalResult checkReducedResults(linalg::GenericOp op) {
  if (op.getNumParallelLoops() > 0)
    return success();
  for (OpOperand &dest : op.getDpsInitsMutable())
    if (op.getMatchingIndexingMap(&dest).getNumResults() > 0)
      return op->emitOpError("has no kernel: all its loops are reductions, but "
                             "result ")
             << dest.getOperandNumber() - op.getNumDpsInputs()
             << " has dimensions";
  return success();
}

/// Loops in the order of the result's dimensions, then the reductions.
static LogicalResult orderLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  if (failed(checkReducedResults(op)))
    return failure();
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!result.isProjectedPermutation())
    return op->emitOpError("has no kernel: its result is not indexed by a "
                           "permutation of its loops");
  SmallVector<unsigned> order;
  for (AffineExpr index : result.getResults())
    order.push_back(cast<AffineDimExpr>(index).getPosition());
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!llvm::is_contained(order, loop)) {
      if (kind != utils::IteratorType::reduction)
        return op->emitOpError("has no kernel: its result is not indexed by "
                               "the parallel loop ")
               << loop;
      order.push_back(loop);
    }
  if (llvm::is_sorted(order))
    return success();
  rewriter.setInsertionPoint(op);
  return linalg::interchangeGenericOp(rewriter, op, order);
}

/// The indices of an operand with one loop more, the outermost. Destinations
/// are indexed by that alone.
static SmallVector<AffineMap> getMapsWithUnitLoop(OpBuilder &builder,
                                                  linalg::GenericOp op) {
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand).shiftDims(1);
    maps.push_back(
        op.isDpsInit(&operand)
            ? AffineMap::get(map.getNumDims(), 0, builder.getAffineDimExpr(0))
            : map);
  }
  return maps;
}

/// Threads compute elements along dimensions: a result without any, such as the
/// sum of a whole tensor, has one of extent 1 meanwhile.
static void addUnitLoop(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op.getNumParallelLoops() > 0)
    return;
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  ArrayRef<ReassociationIndices> none;
  SmallVector<Value> dests;
  for (Value dest : op.getDpsInits()) {
    auto type = cast<RankedTensorType>(dest.getType());
    dests.push_back(tensor::ExpandShapeOp::create(
        rewriter, loc, type.clone(ArrayRef<int64_t>{1}), dest, none));
  }
  SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
  loops.insert(loops.begin(), utils::IteratorType::parallel);
  auto wider = linalg::GenericOp::create(
      rewriter, loc, TypeRange(ValueRange(dests)), op.getDpsInputs(), dests,
      getMapsWithUnitLoop(rewriter, op), loops);
  wider->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), wider.getRegion(),
                              wider.getRegion().end());
  wider.walk([](linalg::IndexOp index) { index.setDim(index.getDim() + 1); });
  SmallVector<Value> results;
  for (auto [old, made] : llvm::zip(op->getResults(), wider->getResults()))
    results.push_back(tensor::CollapseShapeOp::create(
        rewriter, loc, old.getType(), made, none));
  rewriter.replaceOp(op, results);
}

//===----------------------------------------------------------------------===//
// Fusion of elementwise operations
//===----------------------------------------------------------------------===//

/// Whether a result is computed from what stood in its place, which the fused
/// operation keeps as a result, and the reader does not walk it element by
/// element.
static bool isUpdatedElsewhere(Operation *producer, OpOperand *read) {
  auto reader = dyn_cast<linalg::GenericOp>(read->getOwner());
  return reader && updatesDestination(producer) &&
         (reader.getNumReductionLoops() > 0 ||
          !reader.getMatchingIndexingMap(read).isIdentity());
}

/// What only dead operations read, themselves not erased yet, is dead. These
/// are few; `seen` are those on the way, which ends at a use far behind
/// otherwise.
static bool isDead(Operation *op, llvm::SmallPtrSetImpl<Operation *> &seen) {
  constexpr unsigned most = 64;
  if (!wouldOpBeTriviallyDead(op))
    return false;
  if (!seen.insert(op).second)
    return true;
  return seen.size() <= most &&
         llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return isDead(user, seen); });
}

static bool isDead(Operation *op) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  return isDead(op, seen);
}

/// Whether the reader computes one element of one of the producer, in place.
static bool walksElements(OpOperand *read) {
  auto reader = dyn_cast<linalg::GenericOp>(read->getOwner());
  return reader && reader.getNumReductionLoops() == 0 &&
         reader.getMatchingIndexingMap(read).isIdentity() &&
         reader.getMatchingIndexingMap(reader.getDpsInitOperand(0))
             .isIdentity();
}

/// A producer that others read too would be computed again in each. What has
/// been fused into its reader, but not erased yet, reads nothing.
static bool isReadOnlyHere(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  Operation *consumer = operand->getOwner();
  return isPlainOp(producer) && isPlainOp(consumer) &&
         !readsAtDistances(producer) && !isSummedGather(producer) &&
         !isUpdatedElsewhere(producer, operand) &&
         (!readsDepthwise(producer) || walksElements(operand)) &&
         llvm::all_of(producer->getUsers(), [&](Operation *user) {
           return user == consumer || isDead(user);
         });
}

/// Whether a reshape stands between two operations on tensors and nothing else
/// reads either result: it moves in front of the first or behind the second.
static bool isReshapeBetween(OpOperand *operand) {
  Operation *reshape = operand->get().getDefiningOp();
  Operation *consumer = operand->getOwner();
  // The pattern for what is made before names the reshape's own operand.
  if (isa<tensor::ExpandShapeOp>(consumer)) {
    reshape = consumer;
    consumer = consumer->hasOneUse() ? *consumer->user_begin() : nullptr;
  }
  if (!consumer || !reshape || !reshape->hasOneUse() ||
      !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(reshape))
    return false;
  Operation *producer = reshape->getOperand(0).getDefiningOp();
  return isa_and_nonnull<linalg::GenericOp>(producer) &&
         isa<linalg::GenericOp>(consumer) && !readsAtDistances(producer) &&
         !readsDepthwise(producer) && isPlainOp(producer) &&
         isPlainOp(consumer) && producer->hasOneUse();
}

/// Applies the patterns to the function's reshapes, to `ops` before them, and
/// to what they make.
static LogicalResult applyToReshapes(func::FuncOp function,
                                     RewritePatternSet patterns,
                                     SmallVector<Operation *> ops = {}) {
  for (Operation &op : function.getBody().front())
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      ops.push_back(&op);
  return applyOpPatternsGreedily(
      ops, std::move(patterns),
      GreedyRewriteConfig().setStrictness(
          GreedyRewriteStrictness::ExistingAndNewOps));
}

static LogicalResult fuseElementwise(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, isReadOnlyHere);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, isReshapeBetween);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  SmallVector<Operation *> ops;
  for (linalg::LinalgOp op : getPlainOps<linalg::LinalgOp>(function))
    ops.push_back(op);
  return applyToReshapes(function, std::move(patterns), std::move(ops));
}

//===----------------------------------------------------------------------===//
// Fewer loops
//===----------------------------------------------------------------------===//

/// Whether nothing will be computed inside of this operation's kernel but the
/// operation: a matrix and a partial result keep their dimensions.
static bool standsAlone(linalg::GenericOp op) {
  auto isReal = [](Value input) { return !isPlainOp(input.getDefiningOp()); };
  return llvm::all_of(op.getDpsInputs(), isReal) &&
         llvm::none_of(op->getUsers(), isPlainOp);
}

/// Runs of loops that every operand walks as one.
static SmallVector<ReassociationIndices> getCommonRuns(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<ReassociationIndices> runs;
  for (int64_t loop = 0, e = op.getNumLoops(); loop < e; ++loop) {
    if (loop > 0 && kinds[loop] == kinds[loop - 1]) {
      ReassociationIndices longer = runs.back();
      longer.push_back(loop);
      if (linalg::areDimSequencesPreserved(maps, {longer})) {
        runs.back() = longer;
        continue;
      }
    }
    runs.push_back({loop});
  }
  llvm::erase_if(runs, [](const auto &run) { return run.size() == 1; });
  return runs;
}

static LogicalResult joinLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  bool isSimple = llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isProjectedPermutation();
  });
  if (!isSimple || !standsAlone(op) || isRowGather(op))
    return success();
  SmallVector<ReassociationIndices> runs = getCommonRuns(op);
  if (runs.empty())
    return success();
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> result =
      linalg::collapseOpIterationDims(op, runs, rewriter);
  if (failed(result))
    return op->emitOpError("could not be given fewer loops");
  rewriter.replaceOp(op, result->results);
  return success();
}

/// A destination without contents takes the shape that is asked for; a fill of
/// one, too.
static LogicalResult foldReshapes(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  return applyToReshapes(function, std::move(patterns));
}

/// Sums of a depthwise convolution are computed in the loop of their one
/// reader, which has one for each. Where nothing is computed of them, they are
/// stored. One that is a part already belongs to a loop.
static LogicalResult storeSums(RewriterBase &rewriter, DepthwiseOp op) {
  Value sums = op.getResult();
  if (!op.getOffsets().empty() || !isa<RankedTensorType>(sums.getType()))
    return op->emitOpError("has no kernel: it computes a part, which only one "
                           "within a loop does");
  if (sums.hasOneUse() && isPlainOp(*sums.user_begin()) &&
      walksElements(&*sums.use_begin()))
    return success();
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(sums.getType());
  rewriter.setInsertionPointAfter(op);
  Value place = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps(2,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto store = linalg::GenericOp::create(
      rewriter, loc, type, sums, place, maps, loops,
      [](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, args.front());
      });
  rewriter.replaceAllUsesExcept(sums, store.getResult(0), store);
  return success();
}

/// Where a tile of sums is all of a tensor, the zeros that it begins with may
/// have become those of another operation: each kernel has its own again. A
/// filled operand of a convolution stays a tensor, whose parts kernels read.
static void moveZerosIntoKernels(RewriterBase &rewriter, linalg::FillOp zeros) {
  for (OpOperand &use :
       llvm::make_early_inc_range(zeros.getResult(0).getUses())) {
    if (use.getOwner()->getBlock() == zeros->getBlock() ||
        isa<Im2colOp>(use.getOwner()))
      continue;
    rewriter.setInsertionPoint(use.getOwner());
    use.set(rewriter.clone(*zeros)->getResult(0));
  }
  if (zeros->use_empty())
    rewriter.eraseOp(zeros);
}

LogicalResult conv::preparePlainOps(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  for (linalg::FillOp op : getPlainOps<linalg::FillOp>(function))
    moveZerosIntoKernels(rewriter, op);
  for (Im2colOp op : getPlainOps<Im2colOp>(function))
    if (op.getDest() && isa<RankedTensorType>(op.getDest().getType()))
      separateCopy(rewriter, op);
  for (linalg::LinalgOp op : getPlainOps<linalg::LinalgOp>(function))
    if (isEmpty(op))
      rewriter.replaceOp(op, op.getDpsInits());
  for (linalg::LinalgOp op : getPlainOps<linalg::LinalgOp>(function))
    if (failed(generalize(rewriter, op)))
      return failure();
  if (failed(fuseElementwise(function)))
    return failure();
  for (linalg::GenericOp op : getPlainOps<linalg::GenericOp>(function))
    if (failed(orderLoops(rewriter, op)))
      return failure();
  for (linalg::GenericOp op : getPlainOps<linalg::GenericOp>(function))
    addUnitLoop(rewriter, op);
  for (linalg::GenericOp op : getPlainOps<linalg::GenericOp>(function))
    readSliceInPlace(rewriter, op);
  for (linalg::GenericOp op : getPlainOps<linalg::GenericOp>(function))
    if (failed(joinLoops(rewriter, op)))
      return failure();
  for (linalg::GenericOp op : getPlainOps<linalg::GenericOp>(function))
    if (standsAlone(op) && hasShortTransposedRows(op))
      rewriter.replaceOp(op, gatherShortRows(rewriter, op));
  for (DepthwiseOp op : getPlainOps<DepthwiseOp>(function))
    if (failed(storeSums(rewriter, op)))
      return failure();
  return foldReshapes(function);
}
