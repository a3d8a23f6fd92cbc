//===- ExpandPadding.cpp - tensor.pad as an operation with loops ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  tensor.pad with a constant in front of what is no convolution.
// Output: a linalg.generic that reads the source where there is one: a plain
//         kernel, or part of one.
//
//===----------------------------------------------------------------------===//

#include "PieceLoops.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVEXPANDPADDING
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Whether shapes, amounts and the value are known.
static bool isConstant(tensor::PadOp pad) {
  return pad.getSourceType().hasStaticShape() &&
         pad.getResultType().hasStaticShape() &&
         !ShapedType::isDynamicShape(pad.getStaticLow()) &&
         !ShapedType::isDynamicShape(pad.getStaticHigh()) &&
         pad.getConstantPaddingValue();
}

/// The value as one of the function around it.
static Value getPaddingValue(OpBuilder &builder, tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  return pad->isProperAncestor(value.getDefiningOp())
             ? builder.clone(*value.getDefiningOp())->getResult(0)
             : value;
}

static Value expand(OpBuilder &builder, tensor::PadOp pad) {
  SmallVector<int64_t> strides(pad.getResultType().getRank(), 1);
  return emitPieces(
      builder, pad.getLoc(), pad.getResultType(), getPaddingValue(builder, pad),
      Piece{pad.getSource(), llvm::to_vector(pad.getStaticLow()), strides});
}

namespace {
struct ConvExpandPadding
    : public conv::impl::ConvExpandPaddingBase<ConvExpandPadding> {
  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) {
      if (pad.getResultType().getRank() > 0 && isConstant(pad))
        pads.push_back(pad);
    });
    for (tensor::PadOp pad : pads) {
      OpBuilder builder(pad);
      pad.getResult().replaceAllUsesWith(expand(builder, pad));
      pad->erase();
    }
  }
};
} // namespace
