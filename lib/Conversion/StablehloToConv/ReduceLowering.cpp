//===- ReduceLowering.cpp - reductions as linalg --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReduceLowering.h"
#include "ElementwiseLowering.h"
#include "ScalarConvert.h"
#include "Tensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;
using convmlir::Error;
using convmlir::Result;

/// In which elements are added up.
static Type getSumType(ReduceOp op) {
  Type element = op.getType().getElementType();
  bool isNarrow =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isNarrow && isa<AddOp>(op.getCombiner())
             ? Float32Type::get(op.getContext())
             : element;
}

static Value emitInit(OpBuilder &builder, Location loc, TypedAttr init,
                      ArrayRef<int64_t> shape) {
  Value number = arith::ConstantOp::create(builder, loc, init);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, init.getType());
  return linalg::FillOp::create(builder, loc, number, empty).getResult(0);
}

/// Of all elements the indices, and of what is left those of the result.
static SmallVector<AffineMap> getMaps(OpBuilder &builder, ReduceOp op) {
  int64_t rank = op.getInput().getType().getRank();
  SmallVector<AffineExpr> kept;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(op.getDimensions(), dim))
      kept.push_back(builder.getAffineDimExpr(dim));
  return {builder.getMultiDimIdentityMap(rank),
          AffineMap::get(rank, 0, kept, builder.getContext())};
}

static SmallVector<utils::IteratorType> getIterators(ReduceOp op) {
  SmallVector<utils::IteratorType> iterators(op.getInput().getType().getRank(),
                                             utils::IteratorType::parallel);
  for (int64_t dim : op.getDimensions())
    iterators[dim] = utils::IteratorType::reduction;
  return iterators;
}

Result<Value> conv::lowerReduce(OpBuilder &builder, ReduceOp op) {
  Location loc = op.getLoc();
  Type element = op.getType().getElementType(), sumType = getSumType(op);
  TypedAttr init = getNumber(op.getInitValue(), sumType);
  if (!init)
    return Error{"its first value is no constant of dense elements"};
  Value source = op.getInput();
  if (auto convert = source.getDefiningOp<ConvertOp>())
    source = convert.getOperand();
  Value dest = emitInit(builder, loc, init, op.getType().getShape());
  auto combine = [&](OpBuilder &inner, Location at, ValueRange x) {
    Value made = emitScalarConvert(inner, at, x[0], element);
    made = emitScalarConvert(inner, at, made, sumType);
    made = emitScalar(inner, at, &op.getCombiner(), {made, x[1]});
    linalg::YieldOp::create(inner, at, made);
  };
  auto reduced = linalg::GenericOp::create(builder, loc, dest.getType(), source,
                                           dest, getMaps(builder, op),
                                           getIterators(op), combine);
  return emitConvert(builder, loc, reduced.getResult(0), element);
}
