//===- AccumulatorSelects.cpp - choices of sums of wgmma ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  arith.select of a sum that was read from an accumulator, or of what
//         it is rounded to, by a comparison with a number that is computed; or
//         such a sum that is rounded and widened again, or stored without its
//         neighbour.
// Output: the same with the sum plus a zero that has the sign of that number,
//         or of the sum.
//
// ptxas makes moves of such choices, and roundings of their own of such sums,
// which it then takes for reads of accumulators in the middle of the products,
// and serialises all of these (C7514). An addition is none. Its zero must be
// one that neither LLVM nor ptxas sees. The sum of -0 and +0 is +0: no number
// changes but the sign of a zero.
//
//===----------------------------------------------------------------------===//

#include "HopperToNVVM.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::conv;

/// The sum of f32 that `value` is, or that it is rounded from; null for other
/// values.
static Value getSum(Value value) {
  if (auto truncation = value.getDefiningOp<arith::TruncFOp>())
    value = truncation.getIn();
  bool isSum = value.getDefiningOp<ReadAccumulatorOp>() &&
               getElementTypeOrSelf(value.getType()).isF32();
  return isSum ? value : Value();
}

/// A number of 16 or 32 bits that the condition compares with a constant.
static Value getCompared(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    condition = both.getLhs();
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return {};
  for (Value side : {compare.getLhs(), compare.getRhs()}) {
    unsigned bits =
        getElementTypeOrSelf(side.getType()).getIntOrFloatBitWidth();
    if (!matchPattern(side, m_Constant()) && (bits == 16 || bits == 32))
      return side;
  }
  return {};
}

/// A zero with the sign of each element, of f32.
static Value getSignedZero(OpBuilder &builder, Location loc, Value number) {
  auto withElement = [&](Type element) {
    return cast<ShapedType>(number.getType()).clone(element);
  };
  if (getElementTypeOrSelf(number.getType()).getIntOrFloatBitWidth() == 16)
    number = arith::ExtFOp::create(builder, loc,
                                   withElement(builder.getF32Type()), number);
  Type integers = withElement(builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, loc, integers, number);
  Value mask = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<ShapedType>(integers),
                             APInt::getSignMask(32)));
  return arith::BitcastOp::create(
      builder, loc, withElement(builder.getF32Type()),
      arith::AndIOp::create(builder, loc, bits, mask));
}

namespace {
struct KeepSumArithmetic : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value compared = getCompared(op.getCondition());
    if (!compared || !isa<VectorType>(op.getType()) ||
        compared.getType().isF64())
      return rewriter.notifyMatchFailure(op, "no comparison of numbers");
    bool isChanged = false;
    for (OpOperand &operand : op->getOpOperands().drop_front()) {
      Value sum = getSum(operand.get());
      if (!sum)
        continue;
      Location loc = op.getLoc();
      Value zero = getSignedZero(rewriter, loc, compared);
      Value other = arith::AddFOp::create(rewriter, loc, sum, zero);
      if (operand.get() != sum)
        other = arith::TruncFOp::create(rewriter, loc, operand.get().getType(),
                                        other);
      rewriter.modifyOpInPlace(op, [&] { operand.set(other); });
      isChanged = true;
    }
    return success(isChanged);
  }
};

/// The same of what is rounded to 16 bits and widened again, now or where a
/// function or a quotient is computed, or stored without its neighbour: its own
/// sign is that of a zero that changes nothing.
struct RoundArithmetic : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    bool isAlone = llvm::any_of(op->getUsers(), [](Operation *user) {
      auto extract = dyn_cast<vector::ExtractOp>(user);
      return isa<arith::ExtFOp, arith::DivFOp>(user) ||
             isa<math::MathDialect>(user->getDialect()) ||
             (extract && !isa<VectorType>(extract.getType()));
    });
    if (!isAlone || !isa<VectorType>(op.getType()) ||
        getSum(op.getIn()) != op.getIn())
      return rewriter.notifyMatchFailure(op,
                                         "no sum that is rounded by itself");
    Value zero = getSignedZero(rewriter, op.getLoc(), op.getIn());
    Value sum = arith::AddFOp::create(rewriter, op.getLoc(), op.getIn(), zero);
    rewriter.modifyOpInPlace(op, [&] { op.getInMutable().set(sum); });
    return success();
  }
};
} // namespace

void conv::populateAccumulatorSelectPatterns(RewritePatternSet &patterns) {
  patterns.add<KeepSumArithmetic, RoundArithmetic>(patterns.getContext());
}
