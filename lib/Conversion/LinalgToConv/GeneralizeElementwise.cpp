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

/// Whether the operation makes conditions: memory has no bits.
static bool isCondition(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && linalg::isElementwise(generic) &&
         generic->getNumResults() == 1 &&
         getElementTypeOrSelf(generic->getResult(0)).isInteger(1);
}

/// Whether one operation alone reads the result, once or more.
static bool hasOneReader(Operation *op) {
  return !op->use_empty() && llvm::all_equal(op->getUsers());
}

/// Each reader has conditions of its own, which become a part of it: the last
/// ones first, since their copies read those in front.
static void cloneConditions(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::GenericOp> conditions;
  root->walk([&](linalg::GenericOp op) {
    if (isCondition(op))
      conditions.push_back(op);
  });
  // Many conditions of conditions would have many more copies.
  constexpr size_t most = 4096;
  for (size_t place = conditions.size(), copies = 0; place-- > 0;) {
    linalg::GenericOp op = conditions[place];
    llvm::SmallDenseMap<Operation *, Value> own;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      auto [found, isNew] = own.try_emplace(use.getOwner(), op->getResult(0));
      if (isNew && own.size() > 1 && copies < most) {
        rewriter.setInsertionPoint(op);
        found->second = rewriter.clone(*op)->getResult(0);
        ++copies;
      }
      rewriter.modifyOpInPlace(use.getOwner(),
                               [&, value = found->second] { use.set(value); });
    }
  }
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
    cloneConditions(rewriter, getOperation());
    // What is filled, splat constants and conditions become scalars of the
    // body.
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          Operation *producer = operand->get().getDefiningOp();
          return isBroadcast(producer) ||
                 (isCondition(producer) && hasOneReader(producer));
        });
    patterns.add<FillOfConstantBody>(&getContext());
    // A copy, a transposition, another shape or a slice of what is filled is
    // filled.
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
    linalg::populateSwapExtractSliceWithFillPatterns(patterns);
    // Folds them, too: what multiplies by zero does not read its factor. A
    // chain of conditions becomes one after the other.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
