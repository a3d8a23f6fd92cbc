//===- TransposedWgrad.cpp - wgrad as forward of transposed copies --------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-transpose-wgrad. Input and output: F1. See
// TransposedWgradShape.h.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/TransposedWgradShape.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/ConvertElements.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Transforms/Operations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVTRANSPOSEWGRAD
#include "conv/Transforms/Operations/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::MatrixView;

namespace {
class WgradTransposer {
public:
  explicit WgradTransposer(ConvOpInterface op)
      : builder(op), op(op), loc(op.getLoc()), wgrad(*op.getGeometry()),
        plan(getTransposedWgrad(op, wgrad)), last(wgrad.spatialRank - 1) {}

  void rewrite();

private:
  Value gather(Value source, MatrixView view, ArrayRef<int64_t> shape);
  Value gatherInput();
  Value gatherOutput();
  Value reshape(Value source, ArrayRef<int64_t> shape);
  Value transposeResult(Value result);

  OpBuilder builder;
  ConvOpInterface op;
  Location loc;
  ConvGeometry wgrad;
  TransposedWgrad plan;
  int last; ///< Spatial dimension.
};
} // namespace

/// The virtual matrix in memory, in the shape `shape`.
Value WgradTransposer::gather(Value source, MatrixView view,
                              ArrayRef<int64_t> shape) {
  auto attr = ViewAttr::get(builder.getContext(), view, /*groups=*/1);
  Type element = getElementTypeOrSelf(source);
  auto type = RankedTensorType::get(
      {view.numRows(), view.numTaps(), view.channels}, element);
  Value workspace =
      tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  Value matrix = Im2colOp::create(builder, loc, TypeRange{type}, source,
                                  /*offsets=*/ValueRange(), workspace,
                                  /*phase=*/Value(), builder.getArrayAttr(attr),
                                  /*async=*/UnitAttr())
                     .getResult();
  return reshape(matrix, shape);
}

/// Positions of an image, or those that a patch reads, for each patch.
static void setPatches(MatrixView &view, const TransposedWgrad &plan,
                       const ConvGeometry &wgrad, int d) {
  view.extent[d] = wgrad.input[d];
  if (!plan.isCut[d] && !plan.hasTapsOnly(d)) {
    view.taps[d] = wgrad.input[d];
    return;
  }
  bool hasTapsOnly = plan.hasTapsOnly(d);
  view.rows[d] = plan.patches[d];
  view.stride[d] = plan.outputs[d] * wgrad.stride[d];
  view.offset[d] = -wgrad.padLow[d];
  view.taps[d] = wgrad.filter[d];
  view.step[d] = wgrad.dilation[d];
  if (!hasTapsOnly) {
    view.taps[d] = plan.forward.input[d];
    view.step[d] = 1;
  }
}

/// x as patches, positions, C.
Value WgradTransposer::gatherInput() {
  MatrixView view;
  view.spatialRank = wgrad.spatialRank;
  view.batch = wgrad.n;
  view.channels = wgrad.c;
  for (int d = 0; d <= last; ++d)
    setPatches(view, plan, wgrad, d);
  SmallVector<int64_t> shape = {view.numRows(), view.numTaps(), wgrad.c};
  return plan.gathersInput ? gather(op.getInput(), view, shape)
                           : reshape(op.getInput(), shape);
}

/// dy as patches, positions, K.
Value WgradTransposer::gatherOutput() {
  MatrixView view = wgrad.outputView();
  for (int d = 0; d <= last; ++d) {
    view.rows[d] = plan.patches[d];
    view.stride[d] = view.taps[d] = plan.outputs[d];
  }
  SmallVector<int64_t> shape = {view.numRows(), view.numTaps(), wgrad.k};
  return plan.gathersOutput ? gather(op.getOutput(), view, shape)
                            : reshape(op.getOutput(), shape);
}

/// Through one row of all elements, where shapes share no dimensions.
Value WgradTransposer::reshape(Value source, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(source.getType());
  if (type.getShape() == shape)
    return source;
  auto all = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector(llvm::seq<int64_t>(rank))};
  };
  Value row = type.getRank() == 1
                  ? source
                  : tensor::CollapseShapeOp::create(builder, loc, source,
                                                    all(type.getRank()))
                        .getResult();
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), row,
                                       all(shape.size()));
}

/// C, (T, R,) S, K to K, (T, R,) S, C; or C S, (T,) R, K.
Value WgradTransposer::transposeResult(Value result) {
  SmallVector<int64_t> shape = {wgrad.c};
  if (plan.dropsLast)
    shape.push_back(wgrad.filter[last]);
  int64_t first = shape.size(), kept = plan.dropsLast ? last : last + 1;
  shape.append(wgrad.filter.begin(), wgrad.filter.begin() + kept);
  shape.push_back(wgrad.k);
  SmallVector<int64_t> permutation = {first + kept};
  llvm::append_range(permutation, llvm::seq<int64_t>(first, first + kept));
  if (plan.dropsLast)
    permutation.push_back(1);
  permutation.push_back(0);
  return emitTransposition(builder, loc, reshape(result, shape), permutation);
}

void WgradTransposer::rewrite() {
  const ConvGeometry &forward = plan.forward;
  Value input = gatherInput();
  SmallVector<int64_t> permutation = {2, 1, 0};
  if (plan.dropsLast) {
    // Patches, positions, S, C to C, S, positions, patches.
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(input.getType()).getShape();
    int64_t taps = wgrad.filter[last];
    input = reshape(input, {shape[0], shape[1] / taps, taps, wgrad.c});
    permutation = {3, 2, 1, 0};
  }
  auto getShape = [&](int64_t images, const convmlir::Spatial &extents) {
    SmallVector<int64_t> shape = {images};
    shape.append(extents.begin(), extents.begin() + forward.spatialRank);
    shape.push_back(forward.c);
    return shape;
  };
  Value x = reshape(emitTransposition(builder, loc, input, permutation),
                    getShape(forward.n, forward.input));
  Value w = reshape(emitTransposition(builder, loc, gatherOutput(), {2, 1, 0}),
                    getShape(forward.k, forward.filter));
  SmallVector<int64_t> shape = {forward.n};
  for (int d = 0; d < forward.spatialRank; ++d)
    shape.push_back(forward.output(d));
  shape.push_back(forward.k);
  Value dest = tensor::EmptyOp::create(builder, loc, shape, op.getAccType());
  auto convolution = ForwardOp::create(builder, loc, x, w, dest, forward,
                                       Layout::NHWC, op.getAccType(),
                                       op.getPrecisionType().value_or(Type()));
  StringRef name = ScheduleAttr::attributeName();
  convolution->setAttr(name, op->getAttr(name));
  op->getResult(0).replaceAllUsesWith(
      convertElements(builder, loc, transposeResult(convolution.getResult()),
                      op.getDestType().getElementType()));
  op->erase();
}

namespace {
struct ConvTransposeWgrad
    : public conv::impl::ConvTransposeWgradBase<ConvTransposeWgrad> {
  void runOnOperation() override {
    SmallVector<ConvOpInterface> ops;
    getOperation().walk([&](ConvOpInterface op) { ops.push_back(op); });
    for (ConvOpInterface op : ops) {
      auto schedule =
          op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
      if (schedule && op.getLayout() == Layout::NHWC &&
          isa<RankedTensorType>(op.getDestType()) &&
          transposesWgrad(op, *op.getGeometry(), schedule.getMma()))
        WgradTransposer(op).rewrite();
    }
  }
};
} // namespace
