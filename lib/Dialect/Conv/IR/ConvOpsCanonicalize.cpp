//===- ConvOpsCanonicalize.cpp - simpler forms of a convolution -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: forward, dgrad or wgrad. Output: the same op on a simpler operand or
// with simpler attributes; never another op. A 1x1 convolution stays what it
// is: implicit GEMM of it *is* the matrix product, and as a convolution it
// keeps its groups, its stride and its schedule.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/ZeroPadding.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;

namespace {

/// A pattern on one of the three operations.
class ConvPattern : public RewritePattern {
public:
  ConvPattern(StringRef opName, MLIRContext *context)
      : RewritePattern(opName, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const final {
    return rewrite(cast<ConvOpInterface>(op), rewriter);
  }

private:
  virtual LogicalResult rewrite(ConvOpInterface op,
                                PatternRewriter &rewriter) const = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Padding of x
//===----------------------------------------------------------------------===//

/// Adds the padding of x to the window; false where batch or channels are
/// padded. One padded position is `inputDilation` positions of the spread
/// input.
static bool addPadding(ZeroPadding pad, Layout layout, ConvGeometry &geometry) {
  for (int d = 0; d < geometry.spatialRank; ++d) {
    int64_t dim = getSpatialDim(layout, d);
    geometry.input[d] -= pad.low[dim] + pad.high[dim];
    geometry.padLow[d] += pad.low[dim] * geometry.inputDilation[d];
    geometry.padHigh[d] += pad.high[dim] * geometry.inputDilation[d];
    pad.low[dim] = pad.high[dim] = 0;
  }
  auto isZero = [](int64_t value) { return value == 0; };
  return llvm::all_of(pad.low, isZero) && llvm::all_of(pad.high, isZero);
}

namespace {

/// conv(pad(x), ...) -> conv(x, ...) with more padding.
class FoldInputPad final : public ConvPattern {
  using ConvPattern::ConvPattern;

  LogicalResult rewrite(ConvOpInterface op,
                        PatternRewriter &rewriter) const override {
    if (op.getConvKind() == convmlir::ConvKind::Dgrad)
      return rewriter.notifyMatchFailure(op, "dgrad does not read x");
    convmlir::Result<ZeroPadding> pad = matchZeroPadding(op.getInput());
    if (!pad)
      return rewriter.notifyMatchFailure(op, pad.error());
    ConvGeometry geometry = *op.getGeometry();
    if (!addPadding(*pad, op.getLayout(), geometry))
      return rewriter.notifyMatchFailure(op, "batch or channels are padded");
    if (!geometry.check())
      return rewriter.notifyMatchFailure(op, "the padding is cropped again");
    rewriter.modifyOpInPlace(op, [&] {
      int rank = geometry.spatialRank;
      op->setOperand(getOperandIndex(op.getConvKind(), TensorRole::Input),
                     pad->source);
      op.setPadLow(ArrayRef(geometry.padLow.data(), rank));
      op.setPadHigh(ArrayRef(geometry.padHigh.data(), rank));
    });
    return success();
  }
};

/// Reads and writes the buffer that a memref.cast makes less precise.
class FoldMemRefCast final : public ConvPattern {
  using ConvPattern::ConvPattern;

  LogicalResult rewrite(ConvOpInterface op,
                        PatternRewriter &rewriter) const override {
    for (OpOperand &operand : op->getOpOperands()) {
      auto cast = operand.get().getDefiningOp<memref::CastOp>();
      if (!cast)
        continue;
      auto source = dyn_cast<MemRefType>(cast.getSource().getType());
      if (!source || !source.hasStaticShape())
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(cast.getSource()); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is a memref.cast");
  }
};

//===----------------------------------------------------------------------===//
// Parameters without effect
//===----------------------------------------------------------------------===//

/// Steps along an extent of one become 1: fewer cases for those that look for
/// "no stride" and "no dilation".
class NormalizeSteps final : public ConvPattern {
  using ConvPattern::ConvPattern;

  LogicalResult rewrite(ConvOpInterface op,
                        PatternRewriter &rewriter) const override {
    ConvGeometry old = *op.getGeometry(), geometry = old;
    for (int d = 0; d < geometry.spatialRank; ++d) {
      if (geometry.filter[d] == 1)
        geometry.dilation[d] = 1;
      if (geometry.input[d] == 1)
        geometry.inputDilation[d] = 1;
      // With a single window, the stride only says where the next one would
      // have been: it must not fit at stride 1 either.
      ConvGeometry unit = geometry;
      unit.stride[d] = 1;
      if (unit.output(d) == 1)
        geometry = unit;
    }
    if (geometry == old)
      return rewriter.notifyMatchFailure(op, "every step has an effect");
    rewriter.modifyOpInPlace(op, [&] {
      int rank = geometry.spatialRank;
      op.setStride(ArrayRef(geometry.stride.data(), rank));
      op.setDilation(ArrayRef(geometry.dilation.data(), rank));
      op.setInputDilation(ArrayRef(geometry.inputDilation.data(), rank));
    });
    return success();
  }
};

} // namespace

void conv::detail::populateConvCanonicalization(RewritePatternSet &patterns,
                                                MLIRContext *context,
                                                StringRef opName) {
  patterns.add<FoldInputPad, FoldMemRefCast, NormalizeSteps>(opName, context);
}

void conv::populateFoldPaddingPatterns(RewritePatternSet &patterns) {
  for (StringRef name :
       {ForwardOp::getOperationName(), WgradOp::getOperationName()})
    patterns.add<FoldInputPad>(name, patterns.getContext());
}
