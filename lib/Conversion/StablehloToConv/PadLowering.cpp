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

/// The extents with so many elements around and between those of a tensor.
static Numbers getPaddedShape(ArrayRef<int64_t> extents, ArrayRef<int64_t> low,
                              ArrayRef<int64_t> high,
                              ArrayRef<int64_t> interior) {
  Numbers shape;
  for (auto [dim, extent] : llvm::enumerate(extents))
    shape.push_back(low[dim] + getSpread(extent, interior[dim] + 1) +
                    high[dim]);
  return shape;
}

/// Only elements beside those of the operand.
static Value emitEdges(OpBuilder &builder, Location loc, Value operand,
                       const Padding &padding, Value number) {
  Numbers low = positive(padding.low), high = positive(padding.high);
  if (isAllZero(low) && isAllZero(high))
    return operand;
  return tensor::PadOp::create(builder, loc, Type(), operand,
                               toIndices(builder, low),
                               toIndices(builder, high), number);
}

/// The operand's elements at a distance in a tensor that is full of the number.
static Value emitSpread(OpBuilder &builder, Location loc, Value operand,
                        const Padding &padding, TypedAttr number) {
  auto from = cast<RankedTensorType>(operand.getType());
  Numbers low = positive(padding.low), high = positive(padding.high);
  Numbers steps = llvm::map_to_vector(
      padding.interior, [](int64_t between) { return between + 1; });
  Value full =
      emitFilled(builder, loc, number,
                 getPaddedShape(from.getShape(), low, high, padding.interior));
  return tensor::InsertSliceOp::create(
      builder, loc, operand, full, toIndices(builder, low),
      toIndices(builder, from.getShape()), toIndices(builder, steps));
}

Value conv::emitPadding(OpBuilder &builder, Location loc, Value operand,
                        const Padding &padding, TypedAttr number) {
  auto from = cast<RankedTensorType>(operand.getType());
  RankedTensorType type = from.clone(getPaddedShape(
      from.getShape(), padding.low, padding.high, padding.interior));
  Value padded =
      isAllZero(padding.interior)
          ? emitEdges(builder, loc, operand, padding,
                      arith::ConstantOp::create(builder, loc, number))
          : emitSpread(builder, loc, operand, padding, number);
  if (padded.getType() == type)
    return padded;
  Numbers ones(type.getRank(), 1);
  return emitSlice(builder, loc, type, padded, positive(padding.low, -1), ones);
}

Result<Value> conv::lowerPad(OpBuilder &builder, PadOp op) {
  TypedAttr number =
      getNumber(op.getPaddingValue(), op.getType().getElementType());
  if (!number)
    return Error{
        "the value that it pads with is no constant of dense elements"};
  Padding padding = {Numbers(op.getEdgePaddingLow()),
                     Numbers(op.getEdgePaddingHigh()),
                     Numbers(op.getInteriorPadding())};
  return emitPadding(builder, op.getLoc(), op.getOperand(), padding, number);
}
