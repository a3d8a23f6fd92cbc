//===- FuseEpilogue.cpp - elementwise operations on the matrix ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  conv.scatter of a whole result, or a chain of them that write it
//         together, then an elementwise linalg.generic.
// Output: the elementwise operation on each matrix, then its conv.scatter.
//
//===----------------------------------------------------------------------===//

#include "conv/Conversion/ConvToGemm/Passes.h"
#include "conv/Dialect/Conv/IR/Epilogue.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/ScatterChain.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVFUSEEPILOGUE
#include "conv/Conversion/ConvToGemm/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Moves one elementwise operation on `result` in front of one of the scatters
/// that write it.
class EpilogueMover {
public:
  EpilogueMover(RewriterBase &rewriter, linalg::GenericOp op, Value result,
                ScatterOp scatter)
      : rewriter(rewriter), op(op), result(result), scatter(scatter),
        view(scatter.getView()), rank(scatter.getValueType().getRank()),
        fullRank(scatter.getFullShape().size()) {}

  /// Whether the operation and each of its operands have a form on the matrix.
  bool isPossible();
  /// The scatter of the operation's result on the matrix into `dest`.
  Value move(Value dest);

private:
  int64_t getLastDim() { return scatter.getDestType().getRank() - 1; }
  bool hasChannelColumns();
  AffineMap getChannelMap();
  Value getMatrix(OpOperand &operand, AffineMap &map);

  RewriterBase &rewriter;
  linalg::GenericOp op;
  Value result;
  ScatterOp scatter;
  ViewAttr view;
  int64_t rank, fullRank;
};

} // namespace

/// Whether channels are the rows of an image that has them first.
bool EpilogueMover::hasChannelColumns() {
  ArrayRef<int64_t> shape = scatter.getDestType().getShape();
  return view.getSpatialRank() == 1 && view.getRowGroups() == shape.front() &&
         view.getGroups() == 1 && view.getRows().front() == shape[1] &&
         view.getNumTaps() == 1 && view.getStride().front() == 1 &&
         view.getOffset().front() == 0;
}

bool EpilogueMover::isPossible() {
  SmallVector<int64_t> vectorDims = {getLastDim()};
  if (hasChannelColumns())
    vectorDims.push_back(1);
  return isEpilogue(op, vectorDims);
}

/// The channel in terms of the matrix's loops: (m, n) -> n, with groups
/// (m, g, n) -> g * K/G + n.
AffineMap EpilogueMover::getChannelMap() {
  AffineExpr channel = rewriter.getAffineDimExpr(rank - 1);
  if (view.getGroups() > 1)
    channel = rewriter.getAffineDimExpr(rank - 2) *
                  (scatter.getDestType().getShape().back() / view.getGroups()) +
              channel;
  return AffineMap::get(rank, 0, channel);
}

/// The operand in matrix form; `map` receives its indexing.
Value EpilogueMover::getMatrix(OpOperand &operand, AffineMap &map) {
  map = rewriter.getMultiDimIdentityMap(rank);
  if (operand.get() == result)
    return scatter.getValue();
  AffineMap own = op.getMatchingIndexingMap(&operand);
  if (own.getNumResults() == 0) {
    map = AffineMap::get(rank, 0, rewriter.getContext());
    return operand.get();
  }
  if (!own.isIdentity()) {
    map = own.getDimPosition(0) == getLastDim()
              ? getChannelMap()
              : AffineMap::get(rank, 0, rewriter.getAffineDimExpr(rank - 2));
    return operand.get();
  }
  return Im2colOp::create(rewriter, op.getLoc(), operand.get(), view,
                          /*dropTap=*/rank < fullRank)
      .getResult();
}

Value EpilogueMover::move(Value dest) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map;
    inputs.push_back(getMatrix(*operand, map));
    maps.push_back(map);
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  Type element = getElementTypeOrSelf(dest.getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, op.getLoc(), scatter.getValueType().getShape(), element);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto moved = linalg::GenericOp::create(rewriter, op.getLoc(), empty.getType(),
                                         inputs, empty, maps, iterators);
  rewriter.cloneRegionBefore(op.getRegion(), moved.getRegion(),
                             moved.getRegion().end());
  return ScatterOp::create(rewriter, scatter.getLoc(),
                           TypeRange{dest.getType()}, moved.getResult(0), dest,
                           ValueRange(), view)
      .getResult();
}

/// Why `op` cannot be done on the matrix that is scattered to its operand;
/// empty where it can.
static std::string whyApart(RewriterBase &rewriter, linalg::GenericOp op,
                            Value input) {
  auto scatter = input.getDefiningOp<ScatterOp>();
  if (!scatter->hasOneUse())
    return "something else reads the result of the convolution";
  if (!coversDestination(getScatterChain(scatter)))
    return "it reads a tensor of which the convolution writes a part";
  if (!EpilogueMover(rewriter, op, input, scatter).isPossible())
    return "it is no elementwise operation on tensors of the result's shape, "
           "its channels and scalars";
  return "";
}

/// The operands that convolutions write, as far as kernels go.
static SmallVector<Value> getResults(linalg::GenericOp op) {
  return llvm::filter_to_vector(op.getDpsInputs(), [](Value input) {
    auto scatter = input.getDefiningOp<ScatterOp>();
    return scatter && scatter.getResult();
  });
}

namespace {

struct MoveEpilogue : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (Value input : getResults(op)) {
      if (!whyApart(rewriter, op, input).empty())
        continue;
      emitNamedRemark(op, RemarkId::EpilogueFused,
                      "part of the kernel of the convolution that it reads");
      Value dest = op.getDpsInits()[0];
      for (ScatterOp part : getScatterChain(input.getDefiningOp<ScatterOp>()))
        dest = EpilogueMover(rewriter, op, input, part).move(dest);
      rewriter.replaceOp(op, dest);
      return success();
    }
    return rewriter.notifyMatchFailure(
        op, "no epilogue of a whole result that nothing else uses");
  }
};

/// Lets an elementwise operation have the shape of the scatter's result that it
/// reads in another one, as the gradient of 1x1 filters with their channels
/// first: expand(collapse(scatter)); or images whose positions are one
/// dimension: expand(scatter). One that has the shape of a result keeps it: of
/// two results in two shapes, each would have the other's in turns.
void populateReshapePatterns(RewritePatternSet &patterns) {
  auto isElementwise = [](OpOperand *operand) {
    auto op = dyn_cast<linalg::GenericOp>(operand->getOwner());
    return op && linalg::isElementwise(op) &&
           llvm::none_of(op.getInputs(), [](Value input) {
             return input.getDefiningOp<ScatterOp>();
           });
  };
  auto isCollapsed = [](Value value) {
    auto op = value.getDefiningOp<tensor::CollapseShapeOp>();
    return op && op->hasOneUse() && op.getSrc().getDefiningOp<ScatterOp>();
  };
  linalg::populateFoldReshapeOpsByCollapsingPatterns(
      patterns, [=](OpOperand *operand) {
        auto op = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
        return isElementwise(operand) && op &&
               (isCollapsed(op.getSrc()) ||
                op.getSrc().getDefiningOp<ScatterOp>());
      });
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [=](OpOperand *operand) {
        return isElementwise(operand) && isCollapsed(operand->get());
      });
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                       patterns.getContext());
}

struct ConvFuseEpilogue
    : public conv::impl::ConvFuseEpilogueBase<ConvFuseEpilogue> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<MoveEpilogue>(&getContext());
    populateReshapePatterns(patterns);
    // A chain of operations moves one after the other.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config)))
      return signalPassFailure();
    getOperation().walk([&](linalg::GenericOp op) { explain(op); });
  }

private:
  /// A remark about an operation that is left behind a convolution.
  void explain(linalg::GenericOp op) {
    SmallVector<Value> results = getResults(op);
    if (results.empty())
      return;
    IRRewriter rewriter(&getContext());
    emitNamedRemark(op, RemarkId::EpilogueApart,
                    "a kernel of its own: " +
                        whyApart(rewriter, op, results.front()));
  }
};
} // namespace
