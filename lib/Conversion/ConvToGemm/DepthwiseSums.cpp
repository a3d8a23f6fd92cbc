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

/// To which factors are rounded; null where they are not.
static TypeAttr getPrecision(ConvOpInterface op) {
  std::optional<Type> type = op.getPrecisionType();
  return type ? TypeAttr::get(*type) : TypeAttr();
}

/// [K, taps..., 1] as [taps, K].
static Value moveTapsOut(OpBuilder &builder, Location loc, Value filter) {
  int64_t rank = cast<ShapedType>(filter.getType()).getRank();
  SmallVector<ReassociationIndices> dims = {
      {0}, llvm::to_vector(llvm::seq<int64_t>(1, rank))};
  Value matrix = tensor::CollapseShapeOp::create(builder, loc, filter, dims);
  return emitTransposition(builder, loc, matrix, {1, 0});
}

/// [N, P..., C] as [N, positions, C].
static Value joinPositions(OpBuilder &builder, Location loc, Value tensor) {
  int64_t last = cast<ShapedType>(tensor.getType()).getRank() - 1;
  SmallVector<ReassociationIndices> dims = {
      {0}, llvm::to_vector(llvm::seq<int64_t>(1, last)), {last}};
  return tensor::CollapseShapeOp::create(builder, loc, tensor, dims);
}

/// Sums of parts of the positions, [parts, taps..., C], and of these the sum,
/// whose taps move in.
static Value buildWgrad(OpBuilder &builder, ConvOpInterface op, ViewAttr view,
                        ScheduleAttr schedule) {
  Location loc = op->getLoc();
  Value parts = DepthwiseOp::create(
      builder, loc, op.getInput(), joinPositions(builder, loc, op.getOutput()),
      view, schedule, op.getAccType(), getPrecision(op));
  Value sum = emitSumOfParts(builder, loc, joinPositions(builder, loc, parts));
  auto type = cast<RankedTensorType>(op.getDestType());
  int64_t rank = type.getRank();
  SmallVector<ReassociationIndices> dims = {
      {0}, llvm::to_vector(llvm::seq<int64_t>(1, rank))};
  Value matrix = emitTransposition(builder, loc, sum, {1, 0});
  Value filter = tensor::ExpandShapeOp::create(
      builder, loc, type.clone(op.getAccType()), matrix, dims);
  return convertElements(builder, loc, filter, type.getElementType());
}

Value conv::buildDepthwise(OpBuilder &builder, ConvOpInterface op,
                           ScheduleAttr schedule) {
  Location loc = op->getLoc();
  bool isForward = op.getConvKind() == convmlir::ConvKind::Forward;
  auto view = ViewAttr::get(builder.getContext(), *getDepthwiseView(op));
  if (op.getConvKind() == convmlir::ConvKind::Wgrad)
    return buildWgrad(builder, op, view, schedule);
  Value sums = DepthwiseOp::create(
      builder, loc, isForward ? op.getInput() : op.getOutput(),
      moveTapsOut(builder, loc, op.getFilter()), view, schedule,
      op.getAccType(), getPrecision(op));
  return convertElements(builder, loc, sums,
                         getElementTypeOrSelf(op.getDestType()));
}
