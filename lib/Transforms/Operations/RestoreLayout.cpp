//===- RestoreLayout.cpp - channels last to channels first ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  scheduled convolutions with the layout nhwc.
// Output: those whose schedule says kn2row, or gather with algorithm loops,
// have
//         the layout nchw. The transpositions that conv-convert-layout had put
//         around them, and around the elementwise operations behind them, are
//         gone.
//
//===----------------------------------------------------------------------===//

#include "LayoutPatterns.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Depthwise.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVRESTORELAYOUT
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The tensor with its channels first that `value` was made of, or one that is
/// made of it.
static Value getChannelsFirst(OpBuilder &builder, Value value) {
  if (Value source = getChannelsFirstSource(value))
    return source;
  return emitMarkedTransposition(builder, value.getLoc(), value,
                                 Order::ChannelsFirst);
}

static void convertToChannelsFirst(RewriterBase &rewriter, ConvOpInterface op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value first = getChannelsFirst(rewriter, op->getOperand(0));
  Value second = getChannelsFirst(rewriter, op->getOperand(1));
  SmallVector<int64_t> shape(op.getDestType().getShape());
  std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape,
                                        op.getDestType().getElementType());
  Operation *converted = rewriter.clone(*op);
  converted->setOperands({first, second, empty});
  converted->setAttr("layout", LayoutAttr::get(op->getContext(), Layout::NCHW));
  converted->getResult(0).setType(empty.getType());
  rewriter.replaceOp(op, emitMarkedTransposition(rewriter, loc,
                                                 converted->getResult(0),
                                                 Order::ChannelsLast));
}

namespace {
struct ConvRestoreLayout
    : public conv::impl::ConvRestoreLayoutBase<ConvRestoreLayout> {
  void runOnOperation() override {
    SmallVector<ConvOpInterface> ops;
    getOperation().walk([&](ConvOpInterface op) {
      auto schedule =
          op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
      if (schedule && (schedule.getKn2row() || gathersLoops(schedule)) &&
          op.getLayout() == Layout::NHWC &&
          isa<RankedTensorType>(op.getDestType()))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (ConvOpInterface op : ops) {
      emitNamedRemark(op, RemarkId::LayoutRestored,
                      "nchw: the schedule reads images as they lie");
      convertToChannelsFirst(rewriter, op);
    }
    RewritePatternSet patterns(&getContext());
    populateSinkTranspositionPatterns(patterns, Order::ChannelsLast,
                                      /*amongMarked=*/false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    settleMarked(rewriter, getOperation());
  }
};
} // namespace
