//===- GeneralizeElementwise.cpp - elementwise operations as generics -----===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: elementwise operations of linalg in any form, between convolutions.
// Output: linalg.generic, whose operands are what was broadcast or filled.
//
//===----------------------------------------------------------------------===//

#include "conv/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVGENERALIZEELEMENTWISE
#include "conv/Conversion/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;

/// Copies and transpositions have passes of their own; fills are what results
/// begin with.
static bool isNamedElementwise(linalg::LinalgOp op) {
  if (isa<linalg::GenericOp, linalg::FillOp, linalg::CopyOp,
          linalg::TransposeOp>(op))
    return false;
  return isa<linalg::BroadcastOp, linalg::MapOp>(op) ||
         linalg::isElementwise(op);
}

/// Whether the operation only repeats its one input along dimensions that this
/// lacks, and possibly in another order.
static bool isBroadcast(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic->getNumResults() != 1 || !linalg::isElementwise(generic))
    return false;
  auto yield = cast<linalg::YieldOp>(generic.getBlock()->getTerminator());
  AffineMap map = generic.getMatchingIndexingMap(generic.getDpsInputOperand(0));
  return yield.getOperand(0) == generic.getRegionInputArgs().front() &&
         map.isProjectedPermutation() && map.getNumResults() < map.getNumDims();
}

namespace {
/// What StableHLO's constants become once they are broadcast and converted.
struct FillOfConstantBody : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumDpsInputs() != 0 || op->getNumResults() != 1 ||
        !linalg::isElementwise(op))
      return rewriter.notifyMatchFailure(op, "it has inputs or reduces");
    auto yield = cast<linalg::YieldOp>(op.getBlock()->getTerminator());
    Value value = yield.getOperand(0);
    if (!matchPattern(value, m_Constant()))
      return rewriter.notifyMatchFailure(op, "its elements are computed");
    // The constant may be in the body.
    if (op.getBlock() == value.getParentBlock())
      rewriter.moveOpBefore(value.getDefiningOp(), op);
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, value,
                                                op.getDpsInits().front());
    return success();
  }
};

struct ConvGeneralizeElementwise
    : conv::impl::ConvGeneralizeElementwiseBase<ConvGeneralizeElementwise> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> named;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && isNamedElementwise(op))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op))) {
        op.emitOpError("has no form as linalg.generic");
        return signalPassFailure();
      }
    }
    // What is filled, and splat constants, become scalars of the body.
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          return isBroadcast(operand->get().getDefiningOp());
        });
    patterns.add<FillOfConstantBody>(&getContext());
    // A copy, a transposition, another shape or a slice of what is filled is
    // filled.
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
    linalg::populateSwapExtractSliceWithFillPatterns(patterns);
    // Folds them, too: what multiplies by zero does not read its factor.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
