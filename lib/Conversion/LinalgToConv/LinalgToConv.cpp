//===- LinalgToConv.cpp - import linalg convolutions ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: linalg operations on tensors that multiply and add over a window.
// Output: conv.forward, conv.dgrad or conv.wgrad, with transpositions and
// reshapes of the operands and the result where their dimensions differ from
// those of conv, and an addition of the init where that is not zero.
//
//===----------------------------------------------------------------------===//

#include "LinalgConvolution.h"
#include "conv/Conversion/ImportPrecision.h"
#include "conv/Conversion/Passes.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/IR/CreateConvolution.h"
#include "conv/Dialect/Conv/IR/Remarks.h"
#include "conv/Dialect/Conv/IR/Reversal.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Dialect/Conv/IR/ZeroPadding.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTLINALGTOCONV
#include "conv/Conversion/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::Precision;
using convmlir::Result;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A tensor.collapse_shape or tensor.expand_shape to `shape`, if it differs.
static Value reshape(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto target = RankedTensorType::get(shape, type.getElementType());
  SmallVector<ReassociationIndices> groups =
      getReassociationIndicesForReshape(type, target).value();
  if (target.getRank() < type.getRank())
    return tensor::CollapseShapeOp::create(builder, loc, target, value, groups);
  return tensor::ExpandShapeOp::create(builder, loc, target, value, groups);
}

/// An operand of linalg as one of conv.
static Value toConv(OpBuilder &builder, Location loc, Value value,
                    const OperandForm &form) {
  value = emitTransposition(builder, loc, value, form.permutation);
  value = reshape(builder, loc, value, form.collapsed);
  return reshape(builder, loc, value, form.shape);
}

/// The result of conv as the one of linalg.
static Value fromConv(OpBuilder &builder, Location loc, Value value,
                      const OperandForm &form, ShapedType type) {
  value = reshape(builder, loc, value, form.collapsed);
  value = reshape(builder, loc, value,
                  applyPermutation(type.getShape(), form.permutation));
  return emitTransposition(builder, loc, value,
                           invertPermutationVector(form.permutation));
}

//===----------------------------------------------------------------------===//
// Pattern
//===----------------------------------------------------------------------===//

static bool isZeroInit(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return isConstantZero(fill.getInputs().front());
  return isConstantZero(init);
}

/// Where the result goes: where linalg put it, if the shape is the same.
static Value makeDestination(OpBuilder &builder, Location loc, Value init,
                             ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(init.getType());
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (fill && isZeroInit(init) && type.getShape() == shape)
    return fill.getOutputs().front();
  return tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
}

static Value addElementwise(OpBuilder &builder, Location loc, Value lhs,
                            Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
  return linalg::AddOp::create(builder, loc, ValueRange{lhs, rhs},
                               ValueRange{init})
      ->getResult(0);
}

/// The sums of the convolution, in the order of dimensions of `init`.
static Value emitConvolution(OpBuilder &builder, Location loc,
                             const LinalgConvolution &convolution,
                             Value init) {
  SmallVector<Value, 2> sources = convolution.sources;
  sources[1] =
      emitReverse(builder, loc, sources[1], convolution.reversedDims);
  for (auto [source, form] : llvm::zip(sources, convolution.forms))
    source = toConv(builder, loc, source, form);
  const OperandForm &form = convolution.forms.back();
  Value dest = makeDestination(builder, loc, init, form.shape);
  Value made = createConvolution(builder, loc, convolution.kind, sources, dest,
                                 convolution.geometry, convolution.layout,
                                 {convolution.accType, Type()});
  return fromConv(builder, loc, made, form, cast<ShapedType>(init.getType()));
}

namespace {

struct ImportConvolution final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  ImportConvolution(MLIRContext *context, Precision precision)
      : OpInterfaceRewritePattern(context), precision(precision) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!isConvolution(op))
      return rewriter.notifyMatchFailure(op, "not a convolution");
    Result<LinalgConvolution> convolution = readConvolution(op, precision);
    if (!convolution)
      return rewriter.notifyMatchFailure(op, convolution.error());
    explain(op, *convolution);
    Location loc = op.getLoc();
    Value init = op.getDpsInits().front();
    Value y = emitConvolution(rewriter, loc, *convolution, init);
    if (!isZeroInit(init))
      y = addElementwise(rewriter, loc, y, init);
    rewriter.replaceOp(op, y);
    return success();
  }

private:
  static void explain(linalg::LinalgOp op,
                      const LinalgConvolution &convolution) {
    std::string text =
        "imported as conv." + std::string(convmlir::toString(convolution.kind));
    emitNamedRemark(op, RemarkId::LinalgImported, text);
    if (!convolution.morePrecise.empty())
      emitImportantRemark(
          op, RemarkId::LinalgMorePrecise,
          text +
              " with more precision than the text: " + convolution.morePrecise +
              "; precision=text keeps the operation as written");
  }

  Precision precision;
};

struct ConvertLinalgToConv
    : conv::impl::ConvertLinalgToConvBase<ConvertLinalgToConv> {
  using ConvertLinalgToConvBase::ConvertLinalgToConvBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ImportConvolution>(&getContext(), precision);
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    explainRest();
  }

private:
  /// A remark for each convolution that is left.
  void explainRest() {
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isConvolution(op))
        return;
      Result<LinalgConvolution> convolution = readConvolution(op, precision);
      assert(!convolution && "a convolution that could be imported is left");
      emitImportantRemark(op, RemarkId::LinalgLeft,
                          "not imported as a convolution: " +
                              convolution.error());
    });
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool conv::gainsPrecision(linalg::LinalgOp op) {
  if (!isConvolution(op))
    return false;
  Result<LinalgConvolution> convolution = readConvolution(op, Precision::More);
  return convolution && !convolution->morePrecise.empty();
}
