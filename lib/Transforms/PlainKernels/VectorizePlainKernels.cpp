//===- VectorizePlainKernels.cpp - a thread's tile as vectors -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F3, an scf.forall over threads with linalg operations on tiles.
// Output: the tensor half of F4: vector.transfer_read of tensors, operations on
//         vectors of one dimension, vector.transfer_write into the result's
//         tile; conv.im2col into, conv.scatter of vectors.
//
// Unit dimensions are dropped first, so that upstream's vectoriser meets
// neither windows nor transpositions. Transfers between operations then fold.
//
//===----------------------------------------------------------------------===//

#include "PlainKernels.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Transforms/PlainKernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVVECTORIZEPLAINKERNELS
#include "conv/Transforms/PlainKernels/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The vector with the elements of a static tile.
static VectorType getVectorType(ShapedType tile) {
  return VectorType::get(tile.getShape(), tile.getElementType());
}

/// The same sums in registers.
static Value makeVector(OpBuilder &builder, DepthwiseOp sums) {
  return DepthwiseOp::create(
      builder, sums.getLoc(), getVectorType(sums.getResultType()),
      sums.getSource(), sums.getFilter(), sums.getOffsets(), sums.getView(),
      sums.getDilationAttr(), sums.getChannelsFirst(), sums.getScheduleAttr(),
      sums.getPrecisionTypeAttr());
}

namespace {

/// A tile of a matrix is read into registers, in its own shape.
struct ReadMatrixIntoVector : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    auto matrix = read.getBase().getDefiningOp<Im2colOp>();
    if (!matrix || matrix.getDest())
      return rewriter.notifyMatchFailure(read, "not of a virtual matrix");
    VectorType type = getVectorType(matrix.getMatrixType());
    if (type.getNumElements() != read.getVectorType().getNumElements())
      return rewriter.notifyMatchFailure(read, "not of the whole tile");
    auto vector =
        Im2colOp::create(rewriter, read.getLoc(), TypeRange{type},
                         matrix.getSource(), matrix.getOffsets(), Value(),
                         matrix.getPhase(), matrix.getViews(), UnitAttr());
    rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(read, read.getVectorType(),
                                                     vector.getResult());
    return success();
  }
};

/// So are the sums of a depthwise convolution.
struct ReadDepthwiseIntoVector : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    auto sums = read.getBase().getDefiningOp<DepthwiseOp>();
    if (!sums)
      return rewriter.notifyMatchFailure(read, "not of a depthwise sum");
    if (sums.getResultType().getNumElements() !=
        read.getVectorType().getNumElements())
      return rewriter.notifyMatchFailure(read, "not of the whole tile");
    rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(
        read, read.getVectorType(), makeVector(rewriter, sums));
    return success();
  }
};

/// A scatter takes its value from registers: what was written there, or what is
/// read for it.
struct ScatterFromVector : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp scatter,
                                PatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(scatter.getValue().getType());
    if (!tile)
      return rewriter.notifyMatchFailure(scatter, "value is a vector");
    OpBuilder::InsertionGuard guard(rewriter);
    if (Operation *loop = scatter.getIteratingParent())
      rewriter.setInsertionPoint(cast<scf::ForallOp>(loop).getTerminator());
    Value vector = getVector(rewriter, scatter.getLoc(), scatter.getValue());
    if (vector.getType() != getVectorType(tile))
      vector = vector::ShapeCastOp::create(rewriter, scatter.getLoc(),
                                           getVectorType(tile), vector);
    rewriter.modifyOpInPlace(scatter,
                             [&] { scatter.getValueMutable().assign(vector); });
    return success();
  }

private:
  static Value getVector(PatternRewriter &rewriter, Location loc, Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto write = tile.getDefiningOp<vector::TransferWriteOp>();
    if (write &&
        write.getVectorType().getNumElements() == type.getNumElements())
      return write.getVector();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value padding = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    // All elements of a thread's tile lie along its last dimension.
    auto row = VectorType::get(type.getNumElements(), type.getElementType());
    return vector::TransferReadOp::create(
        rewriter, loc, row, tile, SmallVector<Value>(type.getRank(), zero),
        padding, ArrayRef<bool>{true});
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Upstream drops the unit dimensions of linalg.generic only.
static void generalize(RewriterBase &rewriter, scf::ForallOp block) {
  SmallVector<linalg::LinalgOp> ops;
  block.walk([&](linalg::LinalgOp op) {
    if (isa<linalg::FillOp, linalg::CopyOp>(op))
      ops.push_back(op);
  });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

/// Reads what constant indices name as a slice: such maps have no vector form.
static void sliceConstantIndices(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  rewriter.setInsertionPoint(op);
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    inputs.push_back(input->get());
    maps.push_back(map);
    if (!type ||
        llvm::none_of(map.getResults(), llvm::IsaPred<AffineConstantExpr>))
      continue;
    SmallVector<OpFoldResult> offsets, sizes,
        strides(type.getRank(), rewriter.getIndexAttr(1));
    SmallVector<int64_t> kept;
    SmallVector<AffineExpr> indices;
    for (auto [extent, index] :
         llvm::zip_equal(type.getShape(), map.getResults())) {
      auto constant = dyn_cast<AffineConstantExpr>(index);
      offsets.push_back(
          rewriter.getIndexAttr(constant ? constant.getValue() : 0));
      sizes.push_back(rewriter.getIndexAttr(constant ? 1 : extent));
      if (constant)
        continue;
      kept.push_back(extent);
      indices.push_back(index);
    }
    inputs.back() = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(),
        RankedTensorType::get(kept, type.getElementType()), input->get(),
        offsets, sizes, strides);
    maps.back() =
        AffineMap::get(map.getNumDims(), 0, indices, rewriter.getContext());
  }
  SmallVector<AffineMap> before = op.getIndexingMapsArray();
  if (maps == ArrayRef(before).take_front(maps.size()))
    return;
  maps.append(before.begin() + maps.size(), before.end());
  rewriter.modifyOpInPlace(op, [&] {
    op.getInputsMutable().assign(inputs);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

static LogicalResult dropUnitDims(scf::ForallOp block) {
  RewritePatternSet patterns(block.getContext());
  linalg::ControlDropUnitDims options;
  options.rankReductionStrategy =
      linalg::ControlDropUnitDims::RankReductionStrategy::ExtractInsertSlice;
  // Upstream gathers vectors only: an operation that reads at computed
  // positions keeps its last loop.
  auto getAllLoops = options.controlFn;
  options.controlFn = [=](Operation *op) {
    SmallVector<unsigned> loops = getAllLoops(op);
    if (isGather(op) && !loops.empty())
      loops.pop_back();
    return loops;
  };
  linalg::populateFoldUnitExtentDimsPatterns(patterns, options);
  linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(patterns, options);
  tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
  return applyPatternsGreedily(block, std::move(patterns));
}

/// What upstream's vectoriser did not take, in the terms of the operation.
static LogicalResult refuse(linalg::LinalgOp op) {
  InFlightDiagnostic error = op->emitOpError("has no kernel: ");
  for (Operation &scalar : op.getBlock()->without_terminator()) {
    auto extract = dyn_cast<tensor::ExtractOp>(scalar);
    if (extract && extract.getTensor().getType().getRank() > 1)
      return error
             << "it reads a tensor of "
             << extract.getTensor().getType().getRank()
             << " dimensions at positions that it computes "
                "(tensor.extract); expected a tensor of one dimension, or "
                "an input with an indexing map";
  }
  return error << "it has no form on vectors; expected operations of arith and "
                  "math on the elements that its indexing maps name";
}

static LogicalResult vectorizeOps(RewriterBase &rewriter, scf::ForallOp block) {
  SmallVector<linalg::LinalgOp> ops;
  block.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::VectorizationResult> result =
        linalg::vectorize(rewriter, op);
    if (failed(result))
      return refuse(op);
    rewriter.replaceOp(op, result->replacements);
  }
  return success();
}

static LogicalResult foldTransfers(scf::ForallOp block) {
  MLIRContext *context = block.getContext();
  RewritePatternSet patterns(context);
  patterns
      .add<ReadMatrixIntoVector, ReadDepthwiseIntoVector, ScatterFromVector>(
          context);
  tensor::populateFoldTensorSubsetIntoVectorTransferPatterns(patterns);
  tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, context);
  vector::TransferReadOp::getCanonicalizationPatterns(patterns, context);
  vector::TransferWriteOp::getCanonicalizationPatterns(patterns, context);
  vector::BroadcastOp::getCanonicalizationPatterns(patterns, context);
  vector::ShapeCastOp::getCanonicalizationPatterns(patterns, context);
  vector::MultiDimReductionOp::getCanonicalizationPatterns(patterns, context);
  scf::ForOp::getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(block, std::move(patterns));
}

/// Sums of which nothing is computed are what the tile consists of: upstream
/// has folded the copy. They become vectors here, written in their place.
static void storeSums(RewriterBase &rewriter, scf::ForallOp block) {
  SmallVector<DepthwiseOp> ops;
  block.walk([&](DepthwiseOp op) {
    if (isa<RankedTensorType>(op.getResultType()))
      ops.push_back(op);
  });
  for (DepthwiseOp op : ops) {
    if (!op->hasOneUse())
      continue;
    auto insert =
        dyn_cast<tensor::ParallelInsertSliceOp>(*op->getUsers().begin());
    if (!insert)
      continue;
    Location loc = op.getLoc();
    ArrayRef<int64_t> tile = op.getResultType().getShape().take_back(2);
    Type element = op.getResultType().getElementType();
    rewriter.setInsertionPoint(op);
    Value sums = vector::ShapeCastOp::create(rewriter, loc,
                                             VectorType::get(tile, element),
                                             makeVector(rewriter, op));
    Value place = tensor::ExtractSliceOp::create(
        rewriter, loc, RankedTensorType::get(tile, element), insert.getDest(),
        insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides());
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value written = vector::TransferWriteOp::create(rewriter, loc, sums, place,
                                                    ValueRange{zero, zero},
                                                    ArrayRef<bool>{true, true})
                        .getResult();
    rewriter.replaceOp(op, written);
  }
}

static LogicalResult vectorizeBlock(RewriterBase &rewriter,
                                    scf::ForallOp block) {
  generalize(rewriter, block);
  block.walk([&](linalg::GenericOp op) { sliceConstantIndices(rewriter, op); });
  if (failed(dropUnitDims(block)) || failed(vectorizeOps(rewriter, block)) ||
      failed(foldTransfers(block)))
    return failure();
  storeSums(rewriter, block);
  // Innermost loops first, so that a sum climbs all the way.
  block.walk([&](scf::ForOp loop) {
    (void)hoistLoopInvariantSubsets(
        rewriter, cast<LoopLikeOpInterface>(loop.getOperation()));
  });
  return foldTransfers(block);
}

namespace {
struct ConvVectorizePlainKernels
    : public conv::impl::ConvVectorizePlainKernelsBase<
          ConvVectorizePlainKernels> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp block : getPlainBlocks(getOperation()))
      if (failed(vectorizeBlock(rewriter, block)))
        return signalPassFailure();
  }
};
} // namespace
