//===- WindowLowering.cpp - reductions over windows as linalg -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowLowering.h"
#include "PadLowering.h"
#include "ReduceLowering.h"
#include "Tensors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;
using convmlir::Error;
using convmlir::Result;

/// The tensor whose elements the windows meet; null where the first value is no
/// constant.
static Value emitBase(OpBuilder &builder, ReduceWindowOp op) {
  RankedTensorType from = op.getInput().getType();
  TypedAttr number = getNumber(op.getInitValue(), from.getElementType());
  if (!number)
    return Value();
  Padding padding;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    WindowDimension window = op.getWindowDimension(dim);
    padding.low.push_back(window.low);
    padding.high.push_back(window.high);
    padding.interior.push_back(window.lhsDilation - 1);
  }
  return emitPadding(builder, op.getLoc(), op.getInput(), padding, number);
}

Result<Value> conv::lowerReduceWindow(OpBuilder &builder, ReduceWindowOp op) {
  RankedTensorType type = op.getType();
  if (type.getNumElements() == 0)
    return emitZeros(builder, op.getLoc(), type);
  Value base = emitBase(builder, op);
  if (!base)
    return Error{"its first value is no constant of dense elements"};
  // The loops: over the result, then over windows of more than one element.
  int64_t rank = type.getRank(), loops = rank;
  SmallVector<AffineExpr> met, taps, made;
  SmallVector<int64_t> extents;
  for (int64_t dim = 0; dim < rank; ++dim) {
    WindowDimension window = op.getWindowDimension(dim);
    AffineExpr index = builder.getAffineDimExpr(dim);
    made.push_back(index);
    met.push_back(index * window.stride);
    int64_t extent = op.getWindowDimensions()[dim];
    if (extent == 1)
      continue;
    taps.push_back(builder.getAffineDimExpr(loops++));
    extents.push_back(extent);
    met.back() = met.back() + taps.back() * window.rhsDilation;
  }
  Value shape = tensor::EmptyOp::create(builder, op.getLoc(), extents,
                                        type.getElementType());
  Reduction reduction = {
      &op.getCombiner(), op.getInitValue(), type, {base, shape}, {}, {}};
  for (ArrayRef<AffineExpr> indices :
       {ArrayRef(met), ArrayRef(taps), ArrayRef(made)})
    reduction.maps.push_back(
        AffineMap::get(loops, 0, indices, builder.getContext()));
  reduction.iterators.append(rank, utils::IteratorType::parallel);
  reduction.iterators.append(loops - rank, utils::IteratorType::reduction);
  return emitReduction(builder, op.getLoc(), reduction);
}
