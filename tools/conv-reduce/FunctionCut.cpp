//===- FunctionCut.cpp - parts of a function ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionCut.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace convmlir;
using namespace convmlir::reducer;

bool convmlir::reducer::canCut(func::FuncOp function) {
  return function.getBody().hasOneBlock() &&
         isa<func::ReturnOp>(function.front().getTerminator());
}

bool convmlir::reducer::isBeginning(Operation *op) {
  if (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return isa<linalg::FillOp>(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           Operation *made = operand.getDefiningOp();
           return made && isBeginning(made);
         });
}

SmallVector<Operation *> convmlir::reducer::findSteps(func::FuncOp function) {
  SmallVector<Operation *> steps;
  for (Operation &op : function.front().without_terminator())
    if (!isBeginning(&op))
      steps.push_back(&op);
  return steps;
}

/// Says in the function's type what its block has.
static void updateType(func::FuncOp function) {
  Block &body = function.front();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

using Kept = llvm::SmallPtrSet<Operation *, 16>;

/// Whether `op` is a step that is kept, or within one.
static bool isKept(const Kept &kept, Operation *op) {
  return llvm::any_of(kept,
                      [&](Operation *step) { return step->isAncestor(op); });
}

/// Each result of a step that is not kept becomes an argument where a step that
/// is kept reads it.
static void makeArguments(func::FuncOp function, ArrayRef<Operation *> others,
                          const Kept &kept) {
  for (Operation *step : others)
    for (Value result : step->getResults()) {
      auto isRead = [&](OpOperand &use) {
        return isKept(kept, use.getOwner());
      };
      if (llvm::none_of(result.getUses(), isRead))
        continue;
      Value argument =
          function.front().addArgument(result.getType(), step->getLoc());
      result.replaceUsesWithIf(argument, isRead);
    }
}

/// What no step reads that is kept.
static SmallVector<Value> findResults(ArrayRef<Operation *> steps,
                                      const Kept &kept) {
  SmallVector<Value> results;
  for (Operation *step : steps)
    for (Value result : step->getResults())
      if (llvm::none_of(result.getUsers(),
                        [&](Operation *user) { return isKept(kept, user); }))
        results.push_back(result);
  return results;
}

static void eraseSteps(ArrayRef<Operation *> steps) {
  for (Operation *step : llvm::reverse(steps)) {
    step->dropAllUses();
    step->erase();
  }
}

/// The function is another one then: attributes of arguments say nothing.
static void eraseUnusedArguments(func::FuncOp function) {
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.front().eraseArguments(
      [](BlockArgument argument) { return argument.use_empty(); });
  updateType(function);
}

void convmlir::reducer::eraseUnused(func::FuncOp function) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
  eraseUnusedArguments(function);
}

void convmlir::reducer::cutFunction(func::FuncOp function, size_t begin, size_t end) {
  SmallVector<Operation *> steps = findSteps(function);
  ArrayRef<Operation *> window = ArrayRef(steps).slice(begin, end - begin);
  Kept kept(window.begin(), window.end());
  SmallVector<Operation *> others;
  llvm::copy_if(steps, std::back_inserter(others),
                [&](Operation *step) { return !kept.contains(step); });
  makeArguments(function, others, kept);
  function.front().getTerminator()->setOperands(findResults(window, kept));
  eraseSteps(others);
  eraseUnused(function);
}

void convmlir::reducer::keepResult(func::FuncOp function, unsigned result) {
  Operation *end = function.front().getTerminator();
  end->setOperands(ValueRange(end->getOperand(result)));
  eraseUnused(function);
}
