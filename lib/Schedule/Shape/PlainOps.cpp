//===- PlainOps.cpp - what operations beside convolutions do --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/PlainOps.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::conv;

bool conv::isPlainOp(Operation *op) {
  return op && isa<func::FuncOp>(op->getParentOp()) &&
         isa<linalg::LinalgOp, Im2colOp, ScatterOp, DepthwiseOp>(op) &&
         !op->hasAttr(ScheduleAttr::attributeName());
}

LogicalResult conv::refuseAssertion(cf::AssertOp check) {
  return check.emitOpError("has no kernel: expected a condition that constants "
                           "show to be true, since a kernel checks nothing "
                           "while it runs; remove the assertion '")
         << check.getMsg() << "' if the inputs keep it";
}

LogicalResult conv::checkBody(linalg::LinalgOp op) {
  for (Operation &scalar : op.getBlock()->without_terminator()) {
    if (auto check = dyn_cast<cf::AssertOp>(scalar))
      return refuseAssertion(check);
    if (!isMemoryEffectFree(&scalar))
      return scalar.emitOpError("has no kernel: expected operations that only "
                                "compute their results in the body of '")
             << op->getName() << "'";
  }
  return success();
}

bool conv::readsAtDistances(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic &&
         llvm::any_of(generic.getDpsInputOperands(), [&](OpOperand *input) {
           return llvm::any_of(
               generic.getMatchingIndexingMap(input).getResults(),
               [](AffineExpr index) { return isa<AffineConstantExpr>(index); });
         });
}

bool conv::isMove(linalg::GenericOp op) {
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  return op.getNumDpsInputs() == 1 && op.getNumResults() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         yield.getOperand(0) == op.getBody()->getArgument(0);
}

bool conv::isPermutedSlice(AffineMap map) {
  llvm::SmallDenseSet<unsigned> loops;
  return llvm::all_of(map.getResults(), [&](AffineExpr index) {
    auto loop = dyn_cast<AffineDimExpr>(index);
    return loop ? loops.insert(loop.getPosition()).second
                : isa<AffineConstantExpr>(index);
  });
}

bool conv::isOrderedMove(linalg::GenericOp op) {
  return isMove(op) && op.getIndexingMapsArray().back().isIdentity();
}

linalg::GenericOp conv::findMovedSlice(Value value) {
  while (value.hasOneUse()) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    auto slice = dyn_cast_or_null<linalg::GenericOp>(op);
    return slice && isOrderedMove(slice) && isPlainOp(slice) &&
                   readsAtDistances(slice) &&
                   isPermutedSlice(slice.getIndexingMapsArray().front())
               ? slice
               : nullptr;
  }
  return nullptr;
}

bool conv::isTransposedSlice(Value value) {
  auto transposition = value.getDefiningOp<linalg::TransposeOp>();
  return transposition && findMovedSlice(transposition.getInput());
}
