//===- TransposedWgrad.cpp - wgrad as forward of transposed copies --------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-transpose-wgrad. Input and output: F1. See TransposedWgrad.h.
//
//===----------------------------------------------------------------------===//

#include "TransposedWgrad.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Transforms/TilePasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVTRANSPOSEWGRAD
#include "conv/Transforms/TilePasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::MatrixView;

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

bool conv::transposesWgrad(ConvOpInterface op, MmaKind mma) {
  if (mma != MmaKind::Wgmma || op.getConvKind() != convmlir::ConvKind::Wgrad ||
      op.getSourceElementType().getIntOrFloatBitWidth() == 16)
    return false;
  // Copies of groups and of inserted zeros would be much larger than tensors.
  ConvGeometry wgrad = *op.getGeometry();
  convmlir::Spatial outputs = wgrad.outputs();
  return wgrad.groups == 1 && !wgrad.hasInputDilation() && !wgrad.flip &&
         wgrad.n > 0 && llvm::all_of(outputs, [](int64_t p) { return p > 0; });
}

TransposedWgrad conv::getTransposedWgrad(ConvOpInterface op) {
  ConvGeometry wgrad = *op.getGeometry();
  int last = wgrad.spatialRank - 1;
  constexpr int64_t unitBytes = 16;
  int64_t unit =
      unitBytes * 8 / op.getSourceElementType().getIntOrFloatBitWidth();
  int64_t q = wgrad.output(last);
  TransposedWgrad result;
  result.columns = wgrad.n * q % unit == 0 ? q : llvm::alignTo(q, unit);
  result.gathersOutput = result.columns != q;
  result.gathersInput = wgrad.filter[last] != 1 || wgrad.stride[last] != 1 ||
                        wgrad.padLow[last] != 0 ||
                        wgrad.input[last] != result.columns;
  ConvGeometry &forward = result.forward;
  forward.spatialRank = std::max(last, 1);
  forward.n = wgrad.c * wgrad.filter[last];
  forward.c = wgrad.n * result.columns;
  forward.k = wgrad.k;
  for (int d = 0; d < last; ++d) {
    forward.input[d] = wgrad.input[d];
    forward.filter[d] = wgrad.output(d);
    forward.stride[d] = wgrad.dilation[d];
    forward.dilation[d] = wgrad.stride[d];
    forward.padLow[d] = wgrad.padLow[d];
    // What strides leave over of the input is cropped.
    forward.padHigh[d] = (wgrad.filter[d] - 1) * wgrad.dilation[d] +
                         (wgrad.output(d) - 1) * wgrad.stride[d] + 1 -
                         wgrad.input[d] - wgrad.padLow[d];
  }
  return result;
}

int64_t conv::countCopiedElements(const TransposedWgrad &wgrad) {
  int64_t input = wgrad.forward.inputElements();
  int64_t output = wgrad.forward.filterElements();
  return input * (wgrad.gathersInput ? 4 : 2) +
         output * (wgrad.gathersOutput ? 4 : 2);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
class WgradTransposer {
public:
  explicit WgradTransposer(ConvOpInterface op)
      : builder(op), op(op), loc(op.getLoc()), wgrad(*op.getGeometry()),
        plan(getTransposedWgrad(op)), last(wgrad.spatialRank - 1) {}

  void rewrite();

private:
  Value gather(Value source, MatrixView view, ArrayRef<int64_t> shape);
  Value gatherInput();
  Value gatherOutput();
  Value reshape(Value source, ArrayRef<int64_t> shape);
  Value transposeResult(Value result);
  Value castToResult(Value sums);

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
  Value matrix =
      Im2colOp::create(builder, loc, type, source, /*offsets=*/ValueRange(),
                       workspace, /*phase=*/Value(), builder.getArrayAttr(attr),
                       /*async=*/UnitAttr())
          .getResult();
  return reshape(matrix, shape);
}

/// x as N, D, H, columns, S, C.
Value WgradTransposer::gatherInput() {
  MatrixView view;
  view.spatialRank = wgrad.spatialRank;
  view.batch = wgrad.n;
  view.channels = wgrad.c;
  SmallVector<int64_t> shape = {wgrad.n};
  for (int d = 0; d <= last; ++d) {
    view.extent[d] = wgrad.input[d];
    view.rows[d] = d < last ? wgrad.input[d] : plan.columns;
    shape.push_back(view.rows[d]);
  }
  view.taps[last] = wgrad.filter[last];
  view.stride[last] = wgrad.stride[last];
  view.step[last] = wgrad.dilation[last];
  view.offset[last] = -wgrad.padLow[last];
  shape.append({wgrad.filter[last], wgrad.c});
  return plan.gathersInput ? gather(op.getInput(), view, shape)
                           : reshape(op.getInput(), shape);
}

/// dy as N, P, columns, K.
Value WgradTransposer::gatherOutput() {
  if (!plan.gathersOutput)
    return op.getOutput();
  MatrixView view = wgrad.outputView();
  view.rows[last] = plan.columns;
  SmallVector<int64_t> shape = {wgrad.n};
  shape.append(view.rows.begin(), view.rows.begin() + wgrad.spatialRank);
  shape.push_back(wgrad.k);
  return gather(op.getOutput(), view, shape);
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

/// C S, (T,) R, K to K, (T,) R, S, C.
Value WgradTransposer::transposeResult(Value result) {
  SmallVector<int64_t> shape = {wgrad.c, wgrad.filter[last]};
  shape.append(wgrad.filter.begin(), wgrad.filter.begin() + last);
  shape.push_back(wgrad.k);
  int64_t rank = shape.size();
  SmallVector<int64_t> permutation = {rank - 1};
  llvm::append_range(permutation, llvm::seq<int64_t>(2, rank - 1));
  permutation.append({1, 0});
  return emitTransposition(builder, loc, reshape(result, shape), permutation);
}

Value WgradTransposer::castToResult(Value sums) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (sums.getType() == type)
    return sums;
  Type element = type.getElementType();
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, sums, empty,
             ArrayRef<AffineMap>{identity, identity}, iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(
                   b, loc,
                   convertScalarToDtype(b, loc, args[0], element,
                                        /*isUnsignedCast=*/false));
             })
      .getResult(0);
}

void WgradTransposer::rewrite() {
  const ConvGeometry &forward = plan.forward;
  // N, D, H, W, S, C to C, S, D, H, N, W, and N, Z, P, Q, K to K, Z, P, N, Q.
  SmallVector<int64_t> input = {last + 3, last + 2}, output = {last + 2};
  for (int64_t d = 1; d <= last; ++d)
    for (SmallVector<int64_t> *permutation : {&input, &output})
      permutation->push_back(d);
  for (SmallVector<int64_t> *permutation : {&input, &output})
    permutation->append({0, last + 1});
  auto getShape = [&](int64_t images, const convmlir::Spatial &extents) {
    SmallVector<int64_t> shape = {images};
    shape.append(extents.begin(), extents.begin() + forward.spatialRank);
    shape.push_back(forward.c);
    return shape;
  };
  Value x = reshape(emitTransposition(builder, loc, gatherInput(), input),
                    getShape(forward.n, forward.input));
  Value w = reshape(emitTransposition(builder, loc, gatherOutput(), output),
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
      castToResult(transposeResult(convolution.getResult())));
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
          transposesWgrad(op, schedule.getMma()))
        WgradTransposer(op).rewrite();
    }
  }
};
} // namespace
