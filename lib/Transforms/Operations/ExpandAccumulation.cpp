//===- ExpandAccumulation.cpp - y0 + conv as two operations ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  convolutions on tensors, some of which `accumulate`.
// Output: none does. One that did computes its sums in the accumulation type;
// an
//         elementwise operation adds what the destination holds and rounds,
//         and becomes part of the kernel as any other epilogue.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVEXPANDACCUMULATION
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The sums of `op`, without what its destination holds.
static Value emitSums(OpBuilder &builder, ConvOpInterface op) {
  Value empty = tensor::EmptyOp::create(
      builder, op.getLoc(), op.getDestType().getShape(), op.getAccType());
  // What is accumulated to may be an input as well.
  auto sums = cast<ConvOpInterface>(builder.clone(*op));
  sums->setOperand(sums->getNumOperands() - 1, empty);
  sums.setAccumulate(false);
  sums->getResult(0).setType(cast<RankedTensorType>(empty.getType()));
  return sums->getResult(0);
}

/// old + sums, in the type of `old`.
static Value emitAddition(OpBuilder &builder, Location loc, Value sums,
                          Value old) {
  auto type = cast<RankedTensorType>(old.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto addition = linalg::GenericOp::create(
      builder, loc, type, ValueRange{sums, old}, empty,
      ArrayRef<AffineMap>{identity, identity, identity}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Type accType = args[0].getType();
        Value begin = convertScalarToDtype(b, loc, args[1], accType, false);
        Value sum = ArithBuilder(b, loc).add(begin, args[0]);
        linalg::YieldOp::create(
            b, loc,
            convertScalarToDtype(b, loc, sum, type.getElementType(), false));
      });
  return addition.getResult(0);
}

namespace {
struct ConvExpandAccumulation
    : public conv::impl::ConvExpandAccumulationBase<ConvExpandAccumulation> {
  void runOnOperation() override {
    SmallVector<ConvOpInterface> ops;
    getOperation().walk([&](ConvOpInterface op) {
      if (op.getAccumulate() && isa<RankedTensorType>(op.getDestType()))
        ops.push_back(op);
    });
    for (ConvOpInterface op : ops) {
      OpBuilder builder(op);
      Value sums = emitSums(builder, op);
      Value result = emitAddition(builder, op.getLoc(), sums, op.getDest());
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};
} // namespace
