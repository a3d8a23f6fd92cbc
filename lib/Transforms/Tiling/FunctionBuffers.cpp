//===- FunctionBuffers.cpp - arguments and results as buffers -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three passes around bufferisation. conv-protect-arguments, before it:
// arguments are only read, so that a function can run again on the same ones,
// and each result is a buffer of its own.
// conv-divide-empties, before it: a tensor.empty is that of few results.
// conv-shape-results, after it: a buffer that is returned in another shape is
// allocated in that shape, so that the caller's memory can take its place.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Transforms/Tiling/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVDIVIDEEMPTIES
#define GEN_PASS_DEF_CONVPROTECTARGUMENTS
#define GEN_PASS_DEF_CONVSHAPERESULTS
#include "conv/Transforms/Tiling/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Copies what is returned a second time, or is an argument: operations that
/// change nothing have been folded.
static void copySharedResults(func::ReturnOp op) {
  OpBuilder builder(op);
  llvm::SmallDenseSet<Value> seen;
  for (OpOperand &result : op->getOpOperands()) {
    Value value = result.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || (!isa<BlockArgument>(value) && seen.insert(value).second))
      continue;
    result.set(bufferization::AllocTensorOp::create(
        builder, op.getLoc(), type, /*dynamicSizes=*/ValueRange(), value));
  }
}

namespace {
struct ConvProtectArguments
    : public conv::impl::ConvProtectArgumentsBase<ConvProtectArguments> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    Attribute no = BoolAttr::get(&getContext(), false);
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<TensorType>(type))
        function.setArgAttr(
            i, bufferization::BufferizationDialect::kWritableAttrName, no);
    function.walk(copySharedResults);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Empty tensors
//===----------------------------------------------------------------------===//

/// The uses of operations of a block, as the block comes to them.
static SmallVector<OpOperand *> getUsesInOrder(ArrayRef<tensor::EmptyOp> ops) {
  Block *block = ops.front()->getBlock();
  SmallVector<std::pair<Operation *, OpOperand *>> uses;
  for (tensor::EmptyOp op : ops)
    for (OpOperand &use : op->getUses())
      uses.push_back({block->findAncestorOpInBlock(*use.getOwner()), &use});
  llvm::stable_sort(uses, [](auto a, auto b) {
    return a.first != b.first && a.first->isBeforeInBlock(b.first);
  });
  return llvm::map_to_vector(uses, [](auto use) { return use.second; });
}

namespace {
struct ConvDivideEmpties
    : public conv::impl::ConvDivideEmptiesBase<ConvDivideEmpties> {
  using ConvDivideEmptiesBase::ConvDivideEmptiesBase;

  void runOnOperation() override {
    if (uses == 0) {
      emitError(getOperation().getLoc()) << "uses: expected 1 or more, got 0";
      return signalPassFailure();
    }
    for (Block &block : getOperation().getBody()) {
      llvm::MapVector<Type, SmallVector<tensor::EmptyOp>> equal;
      for (auto op : block.getOps<tensor::EmptyOp>())
        if (op.getDynamicSizes().empty())
          equal[op.getType()].push_back(op);
      for (auto &[type, ops] : equal)
        divide(ops);
    }
  }

private:
  void divide(ArrayRef<tensor::EmptyOp> ops) {
    SmallVector<OpOperand *> all = getUsesInOrder(ops);
    if (all.size() <= uses)
      return;
    auto builder = OpBuilder::atBlockBegin(ops.front()->getBlock());
    Operation *shared = nullptr;
    for (auto [i, use] : llvm::enumerate(all)) {
      if (i % uses == 0) {
        shared = builder.clone(*ops.front());
        shared->setAttr(kGroupAttrName, builder.getI64IntegerAttr(i / uses));
      }
      use->set(shared->getResult(0));
    }
    for (tensor::EmptyOp op : ops)
      op.erase();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// What `value`, a buffer in another shape, was made of.
static Value getReshaped(Value value) {
  if (auto op = value.getDefiningOp<memref::ExpandShapeOp>())
    return op.getSrc();
  if (auto op = value.getDefiningOp<memref::CollapseShapeOp>())
    return op.getSrc();
  return Value();
}

/// The opposite of a reshape, of `buffer`.
static Value undo(OpBuilder &builder, Operation *reshape, Value buffer) {
  Location loc = reshape->getLoc();
  Type type = reshape->getOperand(0).getType();
  if (auto op = dyn_cast<memref::ExpandShapeOp>(reshape))
    return memref::CollapseShapeOp::create(builder, loc, type, buffer,
                                           op.getReassociationIndices());
  auto op = cast<memref::CollapseShapeOp>(reshape);
  return memref::ExpandShapeOp::create(builder, loc, type, buffer,
                                       op.getReassociationIndices());
}

/// Moves the reshapes between an allocation and a returned value to the other
/// users of the allocation.
static void shapeResult(RewriterBase &rewriter, OpOperand &result) {
  SmallVector<Operation *> reshapes; // The one of the allocation comes last.
  Value value = result.get();
  for (Value next = getReshaped(value); next; next = getReshaped(value)) {
    reshapes.push_back(value.getDefiningOp());
    value = next;
  }
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return;
  for (Operation *reshape : llvm::reverse(reshapes)) {
    rewriter.setInsertionPoint(alloc);
    auto type = cast<MemRefType>(reshape->getResult(0).getType());
    auto shaped = memref::AllocOp::create(rewriter, alloc.getLoc(), type,
                                          alloc.getAlignmentAttr());
    Value old = undo(rewriter, reshape, shaped);
    rewriter.replaceOp(reshape, shaped);
    rewriter.replaceOp(alloc, old);
    alloc = shaped;
  }
}

namespace {
struct ConvShapeResults
    : public conv::impl::ConvShapeResultsBase<ConvShapeResults> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](func::ReturnOp op) {
      for (OpOperand &result : op->getOpOperands())
        shapeResult(rewriter, result);
    });
  }
};
} // namespace
