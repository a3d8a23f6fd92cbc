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
// Of transpositions (LayoutPatterns.h) only those that were put in cancel:
// those of the user stay what they are.
//
//===----------------------------------------------------------------------===//

#include "LayoutPatterns.h"
#include "conv/Dialect/Conv/IR/ChannelsFirst.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVCONVERTLAYOUT
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static void convertToChannelsLast(RewriterBase &rewriter, ConvOpInterface op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  int64_t rank = op.getDestType().getRank();
  SmallVector<int64_t> toLast = getToChannelsLast(rank);
  Value first = emitMarkedTransposition(rewriter, loc, op->getOperand(0),
                                        Order::ChannelsLast);
  Value second = emitMarkedTransposition(rewriter, loc, op->getOperand(1),
                                         Order::ChannelsLast);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, applyPermutation(op.getDestType().getShape(), toLast),
      op.getDestType().getElementType());
  Operation *converted = rewriter.clone(*op);
  converted->setOperands({first, second, empty});
  converted->setAttr("layout", LayoutAttr::get(op->getContext(), Layout::NHWC));
  converted->getResult(0).setType(empty.getType());
  Value result = emitMarkedTransposition(rewriter, loc, converted->getResult(0),
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
    for (ConvOpInterface op : ops)
      convert(rewriter, dropUnused(rewriter, op));
    RewritePatternSet patterns(&getContext());
    populateSinkTranspositionPatterns(patterns, Order::ChannelsFirst,
                                      /*amongMarked=*/true);
    populateEpiloguePatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    settleMarked(rewriter, getOperation());
  }

private:
  static void convert(RewriterBase &rewriter, ConvOpInterface op) {
    if (isComputedChannelsFirst(op)) {
      emitNamedRemark(op, RemarkId::LayoutKept,
                      "nchw: its images are multiplied as they lie");
      return convertToRows(rewriter, op);
    }
    emitNamedRemark(op, RemarkId::LayoutConverted,
                    "nhwc, between transpositions of operands and result");
    convertToChannelsLast(rewriter, op);
  }
};
} // namespace
