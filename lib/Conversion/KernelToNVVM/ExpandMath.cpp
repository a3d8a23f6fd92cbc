//===- ExpandMath.cpp - math in terms of instructions ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of activations are our own (FloatFunctions.h): they cost a
// third of the upstream ones. So are those whose upstream expansions lose
// digits (MoreFunctions.h). The others are upstream's, where it has them.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "FloatFunctions.h"
#include "MoreFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

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

/// Halves away from zero. Adds the largest number below a half, so that
/// 0.49999997 does not become 1.
struct ExpandRound : OpRewritePattern<math::RoundOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RoundOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto element = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    APFloat half(element.getFloatSemantics(), "0.5");
    half.next(/*nextDown=*/true);
    Value added = math::CopySignOp::create(
        rewriter, loc, splat(rewriter, loc, op.getType(), half),
        op.getOperand());
    rewriter.replaceOpWithNewOp<math::TruncOp>(
        op, arith::AddFOp::create(rewriter, loc, op.getOperand(), added));
    return success();
  }
};

/// The number that all elements are, if they are constant, rounded or not.
static std::optional<double> getConstant(Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  FloatAttr scalar;
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&scalar)))
    return scalar.getValueAsDouble();
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<FloatAttr>().getValueAsDouble();
  return std::nullopt;
}

/// x^y. The upstream expansion is NaN wherever x is negative, but for a few
/// constants y (test/Upstream/powf.mlir). Small whole exponents are products;
/// others 2^(y log2 |x|), with the sign of x where y is odd, and NaN where x is
/// negative and y no whole number.
struct ExpandPower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    constexpr double mostProducts = 64;
    std::optional<double> exponent = getConstant(op.getRhs());
    bool isWhole = exponent && *exponent == std::trunc(*exponent) &&
                   std::fabs(*exponent) <= mostProducts;
    if (exponent == 0.5) {
      rewriter.replaceOpWithNewOp<math::SqrtOp>(op, op.getLhs());
      return success();
    }
    if (exponent == -0.5) {
      rewriter.replaceOpWithNewOp<math::RsqrtOp>(op, op.getLhs());
      return success();
    }
    if (!isWhole && !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "no logarithm of its type");
    rewriter.replaceOp(op, isWhole ? multiply(op, *exponent, rewriter)
                                   : raise(op, rewriter));
    return success();
  }

private:
  static Value getNumber(math::PowFOp op, OpBuilder &builder, double number) {
    auto element = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    APFloat value(number);
    bool losesInfo;
    value.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return splat(builder, op.getLoc(), op.getType(), value);
  }

  /// By squaring.
  static Value multiply(math::PowFOp op, double exponent, OpBuilder &builder) {
    Location loc = op.getLoc();
    Value result, power = op.getLhs();
    for (auto rest = uint64_t(std::fabs(exponent)); rest > 0; rest /= 2) {
      if (rest % 2 == 1)
        result =
            result ? arith::MulFOp::create(builder, loc, result, power) : power;
      if (rest > 1)
        power = arith::MulFOp::create(builder, loc, power, power);
    }
    Value one = getNumber(op, builder, 1);
    if (!result)
      return one;
    return exponent > 0 ? result
                        : arith::DivFOp::create(builder, loc, one, result);
  }

  static Value raise(math::PowFOp op, OpBuilder &builder) {
    Location loc = op.getLoc();
    Value x = op.getLhs(), y = op.getRhs();
    Value zero = getNumber(op, builder, 0), one = getNumber(op, builder, 1);
    auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) {
      return arith::CmpFOp::create(builder, loc, predicate, a, b).getResult();
    };
    auto select = [&](Value condition, Value a, Value b) {
      return arith::SelectOp::create(builder, loc, condition, a, b).getResult();
    };
    Value size = math::AbsFOp::create(builder, loc, x);
    Value log = math::Log2Op::create(builder, loc, size);
    // The exponent may be infinite where the logarithm is 0.
    Value power =
        select(compare(arith::CmpFPredicate::OEQ, size, one), one,
               math::Exp2Op::create(
                   builder, loc, arith::MulFOp::create(builder, loc, y, log)));
    Value half =
        arith::MulFOp::create(builder, loc, y, getNumber(op, builder, 0.5));
    Value isWhole = compare(arith::CmpFPredicate::OEQ, y,
                            math::TruncOp::create(builder, loc, y));
    Value isOdd = compare(arith::CmpFPredicate::UNE, half,
                          math::TruncOp::create(builder, loc, half));
    Value nan =
        getNumber(op, builder, std::numeric_limits<double>::quiet_NaN());
    Value infinity =
        getNumber(op, builder, std::numeric_limits<double>::infinity());
    Value isFinite = compare(arith::CmpFPredicate::OLT, size, infinity);
    Value below = select(isWhole, power, select(isFinite, nan, power));
    Value result =
        select(compare(arith::CmpFPredicate::OLT, x, zero), below, power);
    // Also of -0.
    result = select(arith::AndIOp::create(builder, loc, isWhole, isOdd),
                    math::CopySignOp::create(builder, loc, power, x), result);
    // And 0 where the logarithm is infinite.
    return select(compare(arith::CmpFPredicate::OEQ, y, zero), one, result);
  }
};

} // namespace

/// Whether it is a function of f16 or bf16 that rounds: what is exact in every
/// type stays.
static bool isNarrowFunction(Operation *op) {
  if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
      op->getNumResults() != 1 ||
      isa<math::AbsFOp, math::CeilOp, math::ClampFOp, math::CopySignOp,
          math::FloorOp, math::FmaOp, math::RoundEvenOp, math::TruncOp>(op))
    return false;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return isa<Float16Type, BFloat16Type>(element);
}

static Type getWide(Type type) {
  auto f32 = Float32Type::get(type.getContext());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(f32);
  return f32;
}

/// Functions of 16 bits are those of f32, rounded: an expansion in 16 bits
/// would overflow where its result does not, and round each step. (Upstream's
/// pass lets functions behind each other leave out the rounding between them.)
static void widenFunctions(Operation *module) {
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (isNarrowFunction(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    Operation *wide = builder.clone(*op);
    OpBuilder before(wide);
    for (OpOperand &operand : wide->getOpOperands())
      if (Type type = operand.get().getType();
          isa<FloatType>(getElementTypeOrSelf(type)))
        operand.set(arith::ExtFOp::create(before, op->getLoc(), getWide(type),
                                          operand.get()));
    Type type = op->getResult(0).getType();
    wide->getResult(0).setType(getWide(type));
    op->replaceAllUsesWith(arith::TruncFOp::create(builder, op->getLoc(), type,
                                                   wide->getResult(0)));
    op->erase();
  }
}

/// The upstream expansion of the cube root is NaN of what is infinite.
static void keepInfinities(Operation *module) {
  module->walk([](math::CbrtOp op) {
    OpBuilder builder(op.getContext());
    builder.setInsertionPointAfter(op);
    Value x = op.getOperand();
    Value isInfinite = math::IsInfOp::create(builder, op.getLoc(), x);
    auto kept =
        arith::SelectOp::create(builder, op.getLoc(), isInfinite, x, op);
    op.getResult().replaceAllUsesExcept(kept, kept);
  });
}

LogicalResult conv::expandMath(Operation *module) {
  widenFunctions(module);
  keepInfinities(module);
  RewritePatternSet patterns(module->getContext());
  math::populateExpansionPatterns(patterns, {"fpowi", "tan"});
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return !llvm::is_contained({"math.atan2", "math.cos", "math.erf",
                                "math.exp", "math.rsqrt", "math.sin",
                                "math.tanh"},
                               name);
  });
  populateFloatFunctionPatterns(patterns);
  populatePeriodicFunctionPatterns(patterns);
  populateHyperbolicFunctionPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  patterns.add<ExpandIsNaN,
               ExpandMagnitudeTest<math::IsInfOp, arith::CmpFPredicate::OEQ>,
               ExpandMagnitudeTest<math::IsFiniteOp, arith::CmpFPredicate::OLT>,
               ExpandClamp, ExpandLog10, ExpandPower, ExpandRound>(
      patterns.getContext());
  return applyPatternsGreedily(module, std::move(patterns));
}
