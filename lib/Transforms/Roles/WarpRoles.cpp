//===- WarpRoles.cpp - what a role needs of a program ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpRoles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Takes an operation out of a branch in which nothing needs it.
static void drop(Operation *op) {
  OpBuilder builder(op);
  for (Value result : op->getResults())
    if (!result.use_empty())
      result.replaceAllUsesWith(
          ub::PoisonOp::create(builder, op->getLoc(), result.getType()));
  op->erase();
}

/// All values that `value` is computed from.
static void collectNeeded(Value value, llvm::DenseSet<Value> &needed) {
  if (!needed.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return;
    collectNeeded(loop.getTiedLoopInit(argument)->get(), needed);
    collectNeeded(loop.getTiedLoopYieldedValue(argument)->get(), needed);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    collectNeeded(loop.getTiedLoopRegionIterArg(cast<OpResult>(value)), needed);
    return;
  }
  op->walk([&](Operation *part) {
    for (Value operand : part->getOperands())
      collectNeeded(operand, needed);
  });
}

void mlir::conv::keepRole(Block &block,
                          function_ref<bool(Operation *)> isOfRole,
                          ValueRange results) {
  llvm::DenseSet<Value> needed;
  for (Value result : results)
    collectNeeded(result, needed);
  block.walk([&](Operation *op) {
    SmallVector<Value> decisive;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      decisive = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    else if (isOfRole(op))
      llvm::append_range(decisive, op->getOperands());
    for (Value value : decisive)
      collectNeeded(value, needed);
  });
  SmallVector<Operation *> dropped;
  block.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isNeeded = llvm::any_of(op->getResults(), [&](Value result) {
      return needed.contains(result);
    });
    if (isNeeded || isOfRole(op) || isa<scf::ForOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    dropped.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : llvm::reverse(dropped))
    drop(op);
}
