//===- ConvertLayout.cpp - channels first to channels last ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  convolutions on tensors, some with the layout nchw.
// Output: all have the layout nhwc; transpositions stand around those that had
//         not, behind the elementwise operations that follow a result. What is
//         computed with its channels first becomes 1-D, between reshapes. Of x
//         only positions are left that taps read.
//
// Transpositions that were put in carry an attribute until the end, so that
// those of the user stay what they are.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Transforms/OperationPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVCONVERTLAYOUT
#include "conv/Transforms/OperationPasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static constexpr StringRef kMark = "conv.layout";

/// What a transposition that was put in makes.
enum class Order { ChannelsLast, ChannelsFirst };

static Value emitTransposition(OpBuilder &builder, Location loc, Value source,
                               Order order) {
  SmallVector<int64_t> permutation =
      getToChannelsLast(cast<RankedTensorType>(source.getType()).getRank());
  if (order == Order::ChannelsFirst)
    permutation = invertPermutationVector(permutation);
  Value transposed = conv::emitTransposition(builder, loc, source, permutation);
  transposed.getDefiningOp()->setAttr(
      kMark, builder.getI64IntegerAttr(int64_t(order)));
  return transposed;
}

/// Whether the operation was put in and makes this order.
static bool makes(linalg::TransposeOp op, Order order) {
  auto mark = op ? op->getAttrOfType<IntegerAttr>(kMark) : IntegerAttr();
  return mark && mark.getInt() == int64_t(order);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static void convertToChannelsLast(RewriterBase &rewriter, ConvOpInterface op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  int64_t rank = op.getDestType().getRank();
  SmallVector<int64_t> toLast = getToChannelsLast(rank);
  Value first =
      emitTransposition(rewriter, loc, op->getOperand(0), Order::ChannelsLast);
  Value second =
      emitTransposition(rewriter, loc, op->getOperand(1), Order::ChannelsLast);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, applyPermutation(op.getDestType().getShape(), toLast),
      op.getDestType().getElementType());
  Operation *converted = rewriter.clone(*op);
  converted->setOperands({first, second, empty});
  converted->setAttr("layout", LayoutAttr::get(op->getContext(), Layout::NHWC));
  converted->getResult(0).setType(empty.getType());
  Value result = emitTransposition(rewriter, loc, converted->getResult(0),
                                   Order::ChannelsFirst);
  rewriter.replaceOp(op, result);
}

//===----------------------------------------------------------------------===//
// Positions that no tap reads
//===----------------------------------------------------------------------===//

/// Of a tensor with channels first, every strides[d]-th position of dimension
/// d, from the first one on: the first of each group of so many, which become a
/// dimension. Dimensions that stay are one with those before them.
static Value emitSlice(OpBuilder &builder, Location loc, Value tensor,
                       ArrayRef<int64_t> strides) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int64_t> grouped = {shape[0] * shape[1]}, kept = grouped;
  SmallVector<AffineExpr> indices = {builder.getAffineDimExpr(0)};
  bool isJoined = true;
  for (auto [d, stride] : llvm::enumerate(strides)) {
    int64_t &extent = shape[2 + d];
    extent /= stride;
    if (isJoined) {
      grouped.back() *= extent;
      kept.back() *= extent;
    } else {
      indices.push_back(builder.getAffineDimExpr(kept.size()));
      grouped.push_back(extent);
      kept.push_back(extent);
    }
    isJoined = stride == 1;
    if (isJoined)
      continue;
    indices.push_back(builder.getAffineConstantExpr(0));
    grouped.push_back(stride);
  }
  Value groups = emitReshape(builder, loc, tensor, grouped);
  Value empty =
      tensor::EmptyOp::create(builder, loc, kept, type.getElementType());
  AffineMap read =
      AffineMap::get(kept.size(), 0, indices, builder.getContext());
  Value slice = linalg::GenericOp::create(
                    builder, loc, empty.getType(), groups, empty,
                    ArrayRef{read, builder.getMultiDimIdentityMap(kept.size())},
                    SmallVector<utils::IteratorType>(
                        kept.size(), utils::IteratorType::parallel),
                    [](OpBuilder &b, Location loc, ValueRange args) {
                      linalg::YieldOp::create(b, loc, args.front());
                    })
                    .getResult(0);
  return emitReshape(builder, loc, slice, shape);
}

/// The operation on those positions of x that its filter reads.
static ConvOpInterface dropUnused(RewriterBase &rewriter, ConvOpInterface op) {
  SmallVector<int64_t> unused = getUnusedStrides(op);
  if (llvm::all_of(unused, [](int64_t stride) { return stride == 1; }))
    return op;
  rewriter.setInsertionPoint(op);
  Value x = emitSlice(rewriter, op.getLoc(), op->getOperand(0), unused);
  auto sliced = cast<ConvOpInterface>(rewriter.clone(*op));
  sliced->setOperand(0, x);
  convmlir::ConvGeometry geometry = *op.getGeometry();
  SmallVector<int64_t> stride(geometry.stride.begin(),
                              geometry.stride.begin() + geometry.spatialRank);
  for (auto [all, part] : llvm::zip_equal(stride, unused))
    all /= part;
  sliced.setStride(stride);
  rewriter.replaceOp(op, sliced);
  return sliced;
}

//===----------------------------------------------------------------------===//
// One row of positions
//===----------------------------------------------------------------------===//

/// Batch, channels, and all spatial dimensions.
static SmallVector<ReassociationIndices> getImageDims(int64_t rank) {
  return {{0}, {1}, llvm::to_vector(llvm::seq<int64_t>(2, rank))};
}

/// A convolution of filters of one tap, in which positions do not meet their
/// neighbours, as one in 1-D.
static void convertToRows(RewriterBase &rewriter, ConvOpInterface op) {
  if (op.getSpatialRank() == 1)
    return;
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto dims = getImageDims(op.getDestType().getRank());
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand,
                tensor::CollapseShapeOp::create(rewriter, loc, operand, dims));
  auto converted = cast<ConvOpInterface>(rewriter.clone(*op, mapping));
  int64_t one[] = {1}, none[] = {0};
  converted.setStride(one);
  converted.setPadLow(none);
  converted.setPadHigh(none);
  converted.setDilation(one);
  converted.setInputDilation(one);
  converted->getResult(0).setType(converted.getDest().getType());
  rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
      op, op->getResult(0).getType(), converted->getResult(0), dims);
}

/// Whether a value was made by a convolution that has its channels first, or
/// elementwise of such a one.
static bool isMadeChannelsFirst(Value value) {
  if (auto conv = value.getDefiningOp<ConvOpInterface>())
    return conv.getLayout() == Layout::NCHW;
  auto op = value.getDefiningOp<linalg::GenericOp>();
  return op && linalg::isElementwise(op) &&
         llvm::any_of(op.getDpsInputs(), isMadeChannelsFirst);
}

/// Lets elementwise operations on such a result have its shape, so that they
/// stay epilogues.
static void populateEpiloguePatterns(RewritePatternSet &patterns) {
  auto isEpilogue = [](OpOperand *operand) {
    auto reshape = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
    auto op = dyn_cast<linalg::GenericOp>(operand->getOwner());
    return reshape && op && linalg::isElementwise(op) &&
           isMadeChannelsFirst(reshape.getSrc());
  };
  linalg::populateFoldReshapeOpsByCollapsingPatterns(patterns, isEpilogue);
}

//===----------------------------------------------------------------------===//
// Transpositions
//===----------------------------------------------------------------------===//

namespace {

/// to-channels-last(to-channels-first(x)) -> x
struct FoldPair : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto before = op.getInput().getDefiningOp<linalg::TransposeOp>();
    if (!makes(op, Order::ChannelsLast) || !makes(before, Order::ChannelsFirst))
      return rewriter.notifyMatchFailure(op, "no two that cancel");
    rewriter.replaceOp(op, before.getInput());
    return success();
  }
};

/// op(transpose(x), ...) -> transpose(op(x, ...)) for an elementwise operation.
struct SinkBelowElementwise : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;
};

} // namespace

/// Whether the operation can follow in the kernel of what it reads. Others stay
/// as they are, behind the transposition, which is then part of that kernel.
static bool isEpilogueOfChannelsFirst(linalg::GenericOp op) {
  constexpr int64_t channels = 1;
  return isEpilogue(op, channels) &&
         isa<RankedTensorType>(op->getResultTypes().front());
}

/// Whether an operand of the operation's shape is a transposed result.
static bool readsTransposed(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input).isIdentity() &&
           makes(input->get().getDefiningOp<linalg::TransposeOp>(),
                 Order::ChannelsFirst);
  });
}

LogicalResult
SinkBelowElementwise::matchAndRewrite(linalg::GenericOp op,
                                      PatternRewriter &rewriter) const {
  if (!isEpilogueOfChannelsFirst(op))
    return rewriter.notifyMatchFailure(op, "no epilogue");
  if (!readsTransposed(op))
    return rewriter.notifyMatchFailure(op, "reads nothing transposed");
  // Loop i of the new operation was loop toLast[i].
  int64_t rank = op.getNumLoops();
  SmallVector<int64_t> toLast = getToChannelsLast(rank);
  SmallVector<AffineExpr> newDims;
  for (int64_t dim : invertPermutationVector(toLast))
    newDims.push_back(rewriter.getAffineDimExpr(dim));
  AffineMap toNew = AffineMap::get(rank, 0, newDims, rewriter.getContext());
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    inputs.push_back(input->get());
    if (map.isIdentity()) {
      inputs.back() = emitTransposition(rewriter, op.getLoc(), input->get(),
                                        Order::ChannelsLast);
      maps.push_back(identity);
    } else {
      maps.push_back(map.compose(toNew));
    }
  }
  maps.push_back(identity);
  auto type = cast<RankedTensorType>(op->getResultTypes().front());
  Value empty = tensor::EmptyOp::create(
      rewriter, op.getLoc(), applyPermutation(type.getShape(), toLast),
      type.getElementType());
  auto sunk = linalg::GenericOp::create(
      rewriter, op.getLoc(), empty.getType(), inputs, empty, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel));
  rewriter.inlineRegionBefore(op.getRegion(), sunk.getRegion(),
                              sunk.getRegion().end());
  rewriter.replaceOp(op,
                     emitTransposition(rewriter, op.getLoc(), sunk.getResult(0),
                                       Order::ChannelsFirst));
  return success();
}

//===----------------------------------------------------------------------===//
// Extents of one
//===----------------------------------------------------------------------===//

/// Whether the elements are in memory in the order of the transposed tensor.
static bool isReshape(linalg::TransposeOp op) {
  auto shape = cast<ShapedType>(op.getInput().getType()).getShape();
  int64_t before = -1;
  for (int64_t dim : op.getPermutation()) {
    if (shape[dim] == 1)
      continue;
    if (dim < before)
      return false;
    before = dim;
  }
  return true;
}

static void replaceByReshape(RewriterBase &rewriter, linalg::TransposeOp op) {
  rewriter.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  rewriter.replaceOp(
      op, emitReshape(rewriter, op.getLoc(), op.getInput(), type.getShape()));
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvConvertLayout
    : public conv::impl::ConvConvertLayoutBase<ConvConvertLayout> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ConvOpInterface> ops;
    getOperation().walk([&](ConvOpInterface op) {
      if (op.getLayout() == Layout::NCHW &&
          isa<RankedTensorType>(op.getDestType()))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    for (ConvOpInterface op : ops) {
      op = dropUnused(rewriter, op);
      if (isComputedChannelsFirst(op))
        convertToRows(rewriter, op);
      else
        convertToChannelsLast(rewriter, op);
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldPair, SinkBelowElementwise>(&getContext());
    populateEpiloguePatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    SmallVector<linalg::TransposeOp> transpositions;
    getOperation().walk([&](linalg::TransposeOp op) {
      if (op->removeAttr(kMark))
        transpositions.push_back(op);
    });
    for (linalg::TransposeOp op : transpositions)
      if (isReshape(op))
        replaceByReshape(rewriter, op);
  }
};
} // namespace
