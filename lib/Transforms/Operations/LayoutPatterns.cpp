//===- LayoutPatterns.cpp - transpositions around convolutions ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutPatterns.h"

#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Dialect/Conv/IR/Transposition.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr StringRef kMark = "conv.layout";

static Order getOther(Order order) {
  return order == Order::ChannelsLast ? Order::ChannelsFirst
                                      : Order::ChannelsLast;
}

/// For dimension i of a tensor of this order, that of one of the other.
static SmallVector<int64_t> getPermutation(int64_t rank, Order order) {
  SmallVector<int64_t> toLast = getToChannelsLast(rank);
  return order == Order::ChannelsLast ? toLast
                                      : invertPermutationVector(toLast);
}

Value conv::emitMarkedTransposition(OpBuilder &builder, Location loc,
                                    Value source, Order order) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  Value transposed =
      emitTransposition(builder, loc, source, getPermutation(rank, order));
  transposed.getDefiningOp()->setAttr(
      kMark, builder.getI64IntegerAttr(int64_t(order)));
  return transposed;
}

/// Whether the operation was put in and makes this order.
static bool makes(linalg::TransposeOp op, Order order) {
  auto mark = op ? op->getAttrOfType<IntegerAttr>(kMark) : IntegerAttr();
  return mark && mark.getInt() == int64_t(order);
}

/// The same of any transposition.
static bool isOf(linalg::TransposeOp op, Order order) {
  int64_t rank = op ? op.getPermutation().size() : 0;
  return rank > 2 &&
         op.getPermutation() == ArrayRef(getPermutation(rank, order));
}

namespace {

/// to-other(to-order(x)) -> x
struct FoldPair : OpRewritePattern<linalg::TransposeOp> {
  FoldPair(MLIRContext *context, Order order, bool amongMarked)
      : OpRewritePattern(context), order(order), amongMarked(amongMarked) {}
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto before = op.getInput().getDefiningOp<linalg::TransposeOp>();
    bool isMarked = makes(op, getOther(order)), isBefore = makes(before, order);
    if (amongMarked ? !isMarked || !isBefore
                    : (!isMarked && !isBefore) || !isOf(op, getOther(order)) ||
                          !isOf(before, order))
      return rewriter.notifyMatchFailure(op, "no two that cancel");
    rewriter.replaceOp(op, before.getInput());
    return success();
  }
  Order order;
  bool amongMarked;
};

/// op(transpose(x), ...) -> transpose(op(x, ...)) for an elementwise operation.
struct SinkBelowElementwise : OpRewritePattern<linalg::GenericOp> {
  SinkBelowElementwise(MLIRContext *context, Order order)
      : OpRewritePattern(context), order(order) {}
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;

private:
  bool isEpilogueOfOrder(linalg::GenericOp op) const;
  bool readsTransposed(linalg::GenericOp op) const;

  Order order; ///< Of the operation before.
};

} // namespace

/// Whether the operation can follow in the kernel of what it reads. Others stay
/// as they are, behind the transposition, which is then part of that kernel.
bool SinkBelowElementwise::isEpilogueOfOrder(linalg::GenericOp op) const {
  auto type = dyn_cast<RankedTensorType>(op->getResultTypes().front());
  if (!type)
    return false;
  int64_t channels = order == Order::ChannelsFirst ? 1 : type.getRank() - 1;
  return isEpilogue(op, channels);
}

/// Whether an operand of the operation's shape is a transposed result.
bool SinkBelowElementwise::readsTransposed(linalg::GenericOp op) const {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input).isIdentity() &&
           makes(input->get().getDefiningOp<linalg::TransposeOp>(), order);
  });
}

LogicalResult
SinkBelowElementwise::matchAndRewrite(linalg::GenericOp op,
                                      PatternRewriter &rewriter) const {
  if (op->getNumResults() != 1 || !isEpilogueOfOrder(op))
    return rewriter.notifyMatchFailure(op, "no epilogue");
  if (!readsTransposed(op))
    return rewriter.notifyMatchFailure(op, "reads nothing transposed");
  // Loop i of the new operation was loop toOther[i].
  int64_t rank = op.getNumLoops();
  SmallVector<int64_t> toOther = getPermutation(rank, getOther(order));
  SmallVector<AffineExpr> newDims;
  for (int64_t dim : invertPermutationVector(toOther))
    newDims.push_back(rewriter.getAffineDimExpr(dim));
  AffineMap toNew = AffineMap::get(rank, 0, newDims, rewriter.getContext());
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    inputs.push_back(input->get());
    if (map.isIdentity()) {
      inputs.back() = emitMarkedTransposition(rewriter, op.getLoc(),
                                              input->get(), getOther(order));
      maps.push_back(identity);
    } else {
      maps.push_back(map.compose(toNew));
    }
  }
  maps.push_back(identity);
  auto type = cast<RankedTensorType>(op->getResultTypes().front());
  Value empty = tensor::EmptyOp::create(
      rewriter, op.getLoc(), applyPermutation(type.getShape(), toOther),
      type.getElementType());
  auto sunk = linalg::GenericOp::create(
      rewriter, op.getLoc(), empty.getType(), inputs, empty, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel));
  rewriter.inlineRegionBefore(op.getRegion(), sunk.getRegion(),
                              sunk.getRegion().end());
  rewriter.replaceOp(op, emitMarkedTransposition(rewriter, op.getLoc(),
                                                 sunk.getResult(0), order));
  return success();
}

void conv::populateSinkTranspositionPatterns(RewritePatternSet &patterns,
                                             Order order, bool amongMarked) {
  patterns.add<FoldPair>(patterns.getContext(), order, amongMarked);
  patterns.add<SinkBelowElementwise>(patterns.getContext(), order);
}

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

void conv::settleMarked(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::TransposeOp> reshapes;
  root->walk([&](linalg::TransposeOp op) {
    if (op->removeAttr(kMark) && isReshape(op))
      reshapes.push_back(op);
  });
  for (linalg::TransposeOp op : reshapes)
    replaceByReshape(rewriter, op);
}
