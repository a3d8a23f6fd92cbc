//===- LinearIndex.cpp - indices that are sums of loops -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/LinearIndex.h"

#include "mlir/IR/AffineExprVisitor.h"

using namespace mlir;

std::optional<SmallVector<int64_t>> conv::getFactors(AffineExpr index,
                                                     unsigned loops) {
  SimpleAffineExprFlattener flattener(loops, /*numSymbols=*/0);
  if (failed(flattener.walkPostOrder(index)) || flattener.numLocals > 0)
    return std::nullopt;
  ArrayRef<int64_t> factors = flattener.operandExprStack.back();
  return SmallVector<int64_t>(factors);
}
