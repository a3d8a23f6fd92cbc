//===- KnownDivisor.cpp - what divides an index ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownDivisor.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Divisors of products are not followed beyond what a tile could ask for.
static int64_t getProduct(int64_t a, int64_t b) {
  constexpr int64_t limit = int64_t(1) << 30;
  int64_t product;
  if (llvm::MulOverflow(a, b, product) || product > limit)
    return std::max(a, b);
  return product;
}

/// The operands are the dimensions of the expression's map, then its symbols.
static int64_t getDivisor(AffineExpr expr, unsigned numDims,
                          ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getKnownDivisor(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getKnownDivisor(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = getDivisor(binary.getLHS(), numDims, operands);
  int64_t b = getDivisor(binary.getRHS(), numDims, operands);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return std::gcd(a, b);
  case AffineExprKind::Mul:
    return getProduct(a, b);
  default:
    return 1;
  }
}

static int64_t getDivisorOfArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || loop.getInductionVar() != argument)
    return 1;
  return std::gcd(getKnownDivisor(loop.getLowerBound()),
                  getKnownDivisor(loop.getStep()));
}

int64_t mlir::conv::getKnownDivisor(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::abs(*constant);
  auto dynamic = cast<Value>(value);
  if (auto argument = dyn_cast<BlockArgument>(dynamic))
    return getDivisorOfArgument(argument);
  return llvm::TypeSwitch<Operation *, int64_t>(dynamic.getDefiningOp())
      .Case([](arith::MulIOp op) {
        return getProduct(getKnownDivisor(op.getLhs()),
                          getKnownDivisor(op.getRhs()));
      })
      .Case<arith::AddIOp, arith::SubIOp>([](auto op) {
        return std::gcd(getKnownDivisor(op.getLhs()),
                        getKnownDivisor(op.getRhs()));
      })
      .Case([](arith::RemUIOp op) {
        return std::gcd(getKnownDivisor(op.getLhs()),
                        getKnownDivisor(op.getRhs()));
      })
      .Case([](affine::AffineApplyOp op) {
        AffineMap map = op.getAffineMap();
        return getDivisor(map.getResult(0), map.getNumDims(),
                          op.getMapOperands());
      })
      .Default(int64_t(1));
}
