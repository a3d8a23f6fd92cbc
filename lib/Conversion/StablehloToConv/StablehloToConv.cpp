//===- StablehloToConv.cpp - import StableHLO -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: functions with operations of StableHLO on tensors. Output: the same
// functions with operations of conv, linalg, tensor, arith and math.
//
// Operations are replaced from the last to the first, so that a convolution
// still sees what its operands were made by.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionLowering.h"
#include "DotLowering.h"
#include "ElementwiseLowering.h"
#include "MoveLowering.h"
#include "PadLowering.h"
#include "ReduceLowering.h"
#include "WindowLowering.h"
#include "conv/Conversion/Passes.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTSTABLEHLOTOCONV
#include "conv/Conversion/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::Result;

/// The value, or failure after an error at the operation.
static FailureOr<Value> orError(Operation *op, const Result<Value> &made) {
  if (made)
    return *made;
  return op->emitOpError() << "cannot be imported: " << made.error();
}

/// What the operation becomes, or failure after an error.
static FailureOr<Value> lower(OpBuilder &builder, Operation *op) {
  if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
    return orError(op, lowerConvolution(builder, convolution));
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op))
    return orError(op, lowerDot(builder, dot));
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return orError(op, lowerReduce(builder, reduce));
  if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op))
    return orError(op, lowerReduceWindow(builder, window));
  if (auto scatter = dyn_cast<stablehlo::SelectAndScatterOp>(op))
    return orError(op, lowerSelectAndScatter(builder, scatter));
  if (auto pad = dyn_cast<stablehlo::PadOp>(op))
    return orError(op, lowerPad(builder, pad));
  if (Value made = lowerElementwise(builder, op))
    return made;
  if (Value made = lowerMove(builder, op))
    return made;
  return op->emitOpError(
      "cannot be imported: it has no form in conv or linalg");
}

static LogicalResult replace(IRRewriter &rewriter, Operation *op) {
  if (op->use_empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  rewriter.setInsertionPoint(op);
  FailureOr<Value> made = lower(rewriter, op);
  if (failed(made))
    return failure();
  rewriter.replaceOp(op, *made);
  return success();
}

/// Reshapes and transpositions of the text and of the import that undo each
/// other.
static LogicalResult cancelMoves(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  linalg::TransposeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(module, std::move(patterns));
}

namespace {
struct ConvertStablehloToConv
    : conv::impl::ConvertStablehloToConvBase<ConvertStablehloToConv> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!stablehlo::isStablehlo(op))
        return WalkResult::advance();
      found.push_back(op);
      // Bodies of operations are a part of them.
      return WalkResult::skip();
    });
    if (found.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (Operation *op : llvm::reverse(found))
      if (failed(replace(rewriter, op)))
        return signalPassFailure();
    if (failed(cancelMoves(getOperation())))
      signalPassFailure();
  }
};
} // namespace
