//===- ExpandMath.cpp - math in terms of instructions ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of activations are our own (FloatFunctions.h): they cost a
// third of the upstream ones. The others are upstream's, where it has them.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "FloatFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <numbers>

using namespace mlir;

/// A constant of a float type or a vector of one.
static Value splat(OpBuilder &builder, Location loc, Type type, APFloat value) {
  TypedAttr attribute = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(builder, loc, attribute);
}

namespace {

/// Of one number with itself.
struct ExpandIsNaN : OpRewritePattern<math::IsNaNOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsNaNOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(
        op, arith::CmpFPredicate::UNO, op.getOperand(), op.getOperand());
    return success();
  }
};

/// Of the magnitude with infinity.
template <typename OpTy, arith::CmpFPredicate predicate>
struct ExpandMagnitudeTest : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    Value infinity = splat(rewriter, op.getLoc(), type,
                           APFloat::getInf(element.getFloatSemantics()));
    Value magnitude =
        math::AbsFOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, predicate, magnitude,
                                               infinity);
    return success();
  }
};

/// The upstream expansion takes the bounds the wrong way round
/// (test/Upstream/clampf.mlir).
struct ExpandClamp : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value atLeast = arith::MaximumFOp::create(rewriter, op.getLoc(),
                                              op.getValue(), op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, atLeast, op.getMax());
    return success();
  }
};

/// log2(x) log10(2).
struct ExpandLog10 : OpRewritePattern<math::Log10Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Log10Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    constexpr double log10Of2 = std::numbers::ln2 / std::numbers::ln10;
    Value log2 = math::Log2Op::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(
        op, log2,
        splat(rewriter, op.getLoc(), op.getType(),
              APFloat(static_cast<float>(log10Of2))));
    return success();
  }
};

} // namespace

LogicalResult conv::expandMath(Operation *module) {
  RewritePatternSet patterns(module->getContext());
  math::populateExpansionPatterns(patterns,
                                  {"sinh", "cosh", "tan", "asinh", "acosh",
                                   "atanh", "powf", "fpowi", "round"});
  populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return !llvm::is_contained({"math.exp", "math.tanh", "math.erf"}, name);
  });
  populateFloatFunctionPatterns(patterns);
  patterns.add<ExpandIsNaN,
               ExpandMagnitudeTest<math::IsInfOp, arith::CmpFPredicate::OEQ>,
               ExpandMagnitudeTest<math::IsFiniteOp, arith::CmpFPredicate::OLT>,
               ExpandClamp, ExpandLog10>(patterns.getContext());
  return applyPatternsGreedily(module, std::move(patterns));
}
