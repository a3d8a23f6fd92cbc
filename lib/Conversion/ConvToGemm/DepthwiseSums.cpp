//===- DepthwiseSums.cpp - depthwise convolutions in F2 -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DepthwiseSums.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/ConvertElements.h"
#include "conv/Dialect/Conv/IR/Depthwise.h"
#include "conv/Dialect/Conv/IR/SumOfParts.h"
#include "conv/Dialect/Conv/IR/Transposition.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

static ArrayRef<int64_t> getDilation(const DepthwiseSum &form) {
  return ArrayRef(form.dilation).take_front(form.view.spatialRank);
}

/// To which factors are rounded; null where they are not.
static TypeAttr getPrecision(ConvOpInterface op) {
  std::optional<Type> type = op.getPrecisionType();
  return type ? TypeAttr::get(*type) : TypeAttr();
}

/// Dimensions of [K, taps..., 1] and [K, 1, taps...], both of which are
/// [K, taps] in memory.
static SmallVector<ReassociationIndices> getFilterDims(ShapedType filter) {
  return {{0}, llvm::to_vector(llvm::seq<int64_t>(1, filter.getRank()))};
}

/// The filter as [taps, K], or as it lies in memory, [K, taps].
static Value joinTaps(OpBuilder &builder, Location loc, Value filter,
                      bool asItLies) {
  Value matrix = tensor::CollapseShapeOp::create(
      builder, loc, filter, getFilterDims(cast<ShapedType>(filter.getType())));
  return asItLies ? matrix : emitTransposition(builder, loc, matrix, {1, 0});
}

/// [N, P..., C] as [N, positions, C], or [N, C, P...] as [N, C, positions].
static Value joinPositions(OpBuilder &builder, Location loc, Value tensor,
                           bool channelsFirst) {
  int64_t rank = cast<ShapedType>(tensor.getType()).getRank();
  SmallVector<ReassociationIndices> dims = {
      {0}, llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)), {rank - 1}};
  if (channelsFirst)
    dims = {{0}, {1}, llvm::to_vector(llvm::seq<int64_t>(2, rank))};
  return tensor::CollapseShapeOp::create(builder, loc, tensor, dims);
}

/// Sums of parts of the positions, [parts, taps..., C], and of these the sum,
/// whose taps move in; or [parts, C, taps...], whose sum is the result as it
/// is.
static Value buildWgrad(OpBuilder &builder, ConvOpInterface op,
                        const DepthwiseSum &form, ScheduleAttr schedule) {
  Location loc = op->getLoc();
  auto view = ViewAttr::get(builder.getContext(), form.view);
  bool channelsFirst = op.getLayout() == Layout::NCHW;
  Value dy = joinPositions(builder, loc, op.getOutput(), channelsFirst);
  Value parts = DepthwiseOp::create(builder, loc, op.getInput(), dy, view,
                                    getDilation(form), channelsFirst, schedule,
                                    op.getAccType(), getPrecision(op));
  Value matrix = emitSumOfParts(
      builder, loc, joinPositions(builder, loc, parts, channelsFirst));
  if (!channelsFirst)
    matrix = emitTransposition(builder, loc, matrix, {1, 0});
  auto type = cast<RankedTensorType>(op.getDestType());
  Value filter = tensor::ExpandShapeOp::create(
      builder, loc, type.clone(op.getAccType()), matrix, getFilterDims(type));
  return convertElements(builder, loc, filter, type.getElementType());
}

Value conv::buildDepthwise(OpBuilder &builder, ConvOpInterface op,
                           ScheduleAttr schedule) {
  Location loc = op->getLoc();
  bool isForward = op.getConvKind() == convmlir::ConvKind::Forward;
  DepthwiseSum form = *getDepthwiseSum(op);
  auto view = ViewAttr::get(builder.getContext(), form.view);
  if (op.getConvKind() == convmlir::ConvKind::Wgrad)
    return buildWgrad(builder, op, form, schedule);
  bool channelsFirst = op.getLayout() == Layout::NCHW;
  Value filter = joinTaps(builder, loc, op.getFilter(),
                          channelsFirst || multipliesBands(schedule));
  Value sums = DepthwiseOp::create(
      builder, loc, isForward ? op.getInput() : op.getOutput(), filter, view,
      getDilation(form), channelsFirst, schedule, op.getAccType(),
      getPrecision(op));
  return convertElements(builder, loc, sums,
                         getElementTypeOrSelf(op.getDestType()));
}
