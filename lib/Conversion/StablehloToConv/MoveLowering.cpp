//===- MoveLowering.cpp - what moves elements, as linalg and tensor -===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveLowering.h"
#include "ScalarConvert.h"
#include "Tensors.h"
#include "conv/Dialect/Conv/IR/Reversal.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;

/// Dimensions that are repeated have an extent of 1 in the operand, or none:
/// they are taken out, and the rest is read where it belongs.
static Value lowerBroadcast(OpBuilder &builder, BroadcastInDimOp op) {
  RankedTensorType from = op.getOperand().getType(), to = op.getType();
  SmallVector<int64_t> kept;
  SmallVector<AffineExpr> positions;
  for (auto [i, dim] : llvm::enumerate(op.getBroadcastDimensions()))
    if (from.getDimSize(i) == to.getDimSize(dim)) {
      kept.push_back(from.getDimSize(i));
      positions.push_back(builder.getAffineDimExpr(dim));
    }
  Value source = emitShape(builder, op.getLoc(), op.getOperand(), kept);
  auto map = AffineMap::get(to.getRank(), 0, positions, builder.getContext());
  return emitElementwise(
      builder, op.getLoc(), to, source, map,
      [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
}

static Value lowerIota(OpBuilder &builder, IotaOp op) {
  RankedTensorType type = op.getType();
  auto count = [&](OpBuilder &inner, Location loc, ValueRange) {
    Value index = linalg::IndexOp::create(inner, loc, op.getIotaDimension());
    index = arith::IndexCastOp::create(inner, loc, inner.getI32Type(), index);
    return emitScalarConvert(inner, loc, index, type.getElementType());
  };
  return emitElementwise(builder, op.getLoc(), type, {}, {}, count);
}

Value conv::lowerMove(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](ConstantOp constant) -> Value {
        return arith::ConstantOp::create(builder, loc,
                                         cast<TypedAttr>(constant.getValue()));
      })
      .Case([&](IotaOp iota) { return lowerIota(builder, iota); })
      .Case([&](TransposeOp transpose) {
        return emitTransposition(builder, loc, transpose.getOperand(),
                                 transpose.getPermutation());
      })
      .Case([&](ReverseOp reverse) {
        return emitReverse(builder, loc, reverse.getOperand(),
                           reverse.getDimensions());
      })
      .Case([&](ReshapeOp reshape) {
        return emitShape(builder, loc, reshape.getOperand(),
                         reshape.getType().getShape());
      })
      .Case([&](ConcatenateOp join) -> Value {
        return tensor::ConcatOp::create(builder, loc, join.getType(),
                                        join.getDimension(), join.getInputs());
      })
      .Case([&](SliceOp slice) {
        return emitSlice(builder, loc, slice.getType(), slice.getOperand(),
                         slice.getStartIndices(), slice.getStrides());
      })
      .Case([&](BroadcastInDimOp broadcast) {
        return lowerBroadcast(builder, broadcast);
      })
      .Default(Value());
}
