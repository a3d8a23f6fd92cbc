//===- DropAssertions.cpp - bodies that only compute ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  a function of form F0, with assertions in it and in the bodies of
//         linalg.
// Output: the same without those that constants show to hold; an error where
//         one is left, or where a body has another effect.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/PlainOps.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVDROPASSERTIONS
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The assertions, and the scalars of which their conditions are computed.
static llvm::SetVector<Operation *> collectConditions(func::FuncOp function) {
  llvm::SetVector<Operation *> ops;
  function.walk([&](cf::AssertOp check) { ops.insert(check); });
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && operand.getType().isIntOrIndexOrFloat() &&
          isMemoryEffectFree(source))
        ops.insert(source);
  return ops;
}

static LogicalResult dropProven(func::FuncOp function) {
  llvm::SetVector<Operation *> ops = collectConditions(function);
  if (ops.empty())
    return success();
  RewritePatternSet patterns(function.getContext());
  cf::AssertOp::getCanonicalizationPatterns(patterns, function.getContext());
  return applyOpPatternsGreedily(ops.getArrayRef(), std::move(patterns),
                                 GreedyRewriteConfig().setStrictness(
                                     GreedyRewriteStrictness::ExistingOps));
}

/// The first assertion or effect that is left.
static LogicalResult checkEffects(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    LogicalResult status = success();
    if (auto check = dyn_cast<cf::AssertOp>(op))
      status = refuseAssertion(check);
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      status = checkBody(linalgOp);
    return failed(status) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ConvDropAssertions
    : public conv::impl::ConvDropAssertionsBase<ConvDropAssertions> {
  void runOnOperation() override {
    if (failed(dropProven(getOperation())) ||
        failed(checkEffects(getOperation())))
      signalPassFailure();
  }
};
} // namespace
