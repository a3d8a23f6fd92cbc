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

#include "Support/IndexMath.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

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

static Value readOrPad(OpBuilder &builder, Location loc, tensor::PadOp pad,
                       Value flat, Value padding) {
  IndexMath math(builder, loc);
  ArrayRef<int64_t> shape = pad.getSourceType().getShape();
  SmallVector<int64_t> strides = computeSuffixProduct(shape);
  Value isInside, offset = math.constant(0);
  for (auto [dim, low] : llvm::enumerate(pad.getStaticLow())) {
    Value index = math.add(linalg::IndexOp::create(builder, loc, dim), -low);
    bool isWhole = low <= 0 && pad.getStaticHigh()[dim] <= 0;
    if (!isWhole)
      isInside = math.both(isInside, math.isBelow(index, shape[dim]));
    offset = math.add(offset, math.mul(index, strides[dim]));
  }
  offset = math.select(isInside, offset, math.constant(0));
  Value element = tensor::ExtractOp::create(builder, loc, flat, offset);
  return math.select(isInside, element, padding);
}

static Value expand(OpBuilder &builder, tensor::PadOp pad) {
  Location loc = pad.getLoc();
  RankedTensorType type = pad.getResultType();
  Value padding = getPaddingValue(builder, pad);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  if (pad.getSourceType().getNumElements() == 0)
    return linalg::FillOp::create(builder, loc, padding, empty).getResult(0);
  SmallVector<ReassociationIndices> all = {
      llvm::to_vector(llvm::seq<int64_t>(type.getRank()))};
  Value flat =
      type.getRank() == 1
          ? pad.getSource()
          : tensor::CollapseShapeOp::create(builder, loc, pad.getSource(), all)
                .getResult();
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, ValueRange(), empty,
             builder.getMultiDimIdentityMap(type.getRank()), loops,
             [&](OpBuilder &b, Location at, ValueRange) {
               linalg::YieldOp::create(b, at,
                                       readOrPad(b, at, pad, flat, padding));
             })
      .getResult(0);
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
