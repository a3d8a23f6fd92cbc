//===- PadLowering.cpp - padding of StableHLO as tensor ops -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PadLowering.h"
#include "Tensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;
using convmlir::Error;
using convmlir::Result;

using Numbers = SmallVector<int64_t>;

/// What is added of a list, or with the other sign what is left out.
static Numbers positive(ArrayRef<int64_t> numbers, int64_t sign = 1) {
  return llvm::map_to_vector(numbers, [=](int64_t number) {
    return std::max<int64_t>(sign * number, 0);
  });
}

static bool isAllZero(ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [](int64_t number) { return number == 0; });
}

static SmallVector<OpFoldResult> toIndices(OpBuilder &builder,
                                           ArrayRef<int64_t> numbers) {
  return getAsIndexOpFoldResult(builder.getContext(), numbers);
}

/// Only elements beside those of the operand.
static Value emitEdges(OpBuilder &builder, PadOp op, Value number) {
  Numbers low = positive(op.getEdgePaddingLow()),
          high = positive(op.getEdgePaddingHigh());
  if (isAllZero(low) && isAllZero(high))
    return op.getOperand();
  return tensor::PadOp::create(builder, op.getLoc(), Type(), op.getOperand(),
                               toIndices(builder, low),
                               toIndices(builder, high), number);
}

/// The operand's elements at a distance in a tensor that is full of the number.
static Value emitSpread(OpBuilder &builder, PadOp op, Value number) {
  Location loc = op.getLoc();
  RankedTensorType from = op.getOperand().getType();
  Numbers low = positive(op.getEdgePaddingLow()),
          high = positive(op.getEdgePaddingHigh()), shape, steps;
  for (auto [dim, extent] : llvm::enumerate(from.getShape())) {
    steps.push_back(op.getInteriorPadding()[dim] + 1);
    int64_t spread = extent == 0 ? 0 : (extent - 1) * steps[dim] + 1;
    shape.push_back(low[dim] + spread + high[dim]);
  }
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, from.getElementType());
  Value full = linalg::FillOp::create(builder, loc, number, empty).getResult(0);
  return tensor::InsertSliceOp::create(
      builder, loc, op.getOperand(), full, toIndices(builder, low),
      toIndices(builder, from.getShape()), toIndices(builder, steps));
}

Result<Value> conv::lowerPad(OpBuilder &builder, PadOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  TypedAttr value = getNumber(op.getPaddingValue(), type.getElementType());
  if (!value)
    return Error{
        "the value that it pads with is no constant of dense elements"};
  Value number = arith::ConstantOp::create(builder, loc, value);
  Value padded = isAllZero(op.getInteriorPadding())
                     ? emitEdges(builder, op, number)
                     : emitSpread(builder, op, number);
  if (padded.getType() == type)
    return padded;
  Numbers ones(type.getRank(), 1);
  return emitSlice(builder, loc, type, padded,
                   positive(op.getEdgePaddingLow(), -1), ones);
}
