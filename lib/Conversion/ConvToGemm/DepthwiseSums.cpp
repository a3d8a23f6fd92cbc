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
#include "conv/Dialect/Conv/IR/Transposition.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

/// [K, taps..., 1] as [taps, K].
static Value moveTapsOut(OpBuilder &builder, Location loc, Value filter) {
  int64_t rank = cast<ShapedType>(filter.getType()).getRank();
  SmallVector<ReassociationIndices> dims = {
      {0}, llvm::to_vector(llvm::seq<int64_t>(1, rank))};
  Value matrix = tensor::CollapseShapeOp::create(builder, loc, filter, dims);
  return emitTransposition(builder, loc, matrix, {1, 0});
}

Value conv::buildDepthwise(OpBuilder &builder, ConvOpInterface op,
                           ScheduleAttr schedule) {
  Location loc = op->getLoc();
  bool isForward = op.getConvKind() == convmlir::ConvKind::Forward;
  auto view = ViewAttr::get(builder.getContext(), *getDepthwiseView(op));
  Value sums = DepthwiseOp::create(builder, loc,
                                   isForward ? op.getInput() : op.getOutput(),
                                   moveTapsOut(builder, loc, op.getFilter()),
                                   view, schedule, op.getAccType());
  return convertElements(builder, loc, sums,
                         getElementTypeOrSelf(op.getDestType()));
}
