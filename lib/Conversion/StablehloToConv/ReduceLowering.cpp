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

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::conv;
using namespace mlir::conv::stablehlo;
using convmlir::Error;
using convmlir::Result;

/// In which elements are added up.
static Type getSumType(Operation &combiner, Type element) {
  bool isNarrow =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isNarrow && isa<AddOp>(combiner)
             ? Float32Type::get(combiner.getContext())
             : element;
}

Result<Value> conv::emitReduction(OpBuilder &builder, Location loc,
                                  const Reduction &reduction) {
  Type element = reduction.type.getElementType();
  Type sumType = getSumType(*reduction.combiner, element);
  TypedAttr init = getNumber(reduction.init, sumType);
  if (!init)
    return Error{"its first value is no constant of dense elements"};
  Value dest = emitFilled(builder, loc, init, reduction.type.getShape());
  auto combine = [&](OpBuilder &inner, Location at, ValueRange x) {
    Value made = reduction.element ? reduction.element(inner, at, x.drop_back())
                                   : x.front();
    made = emitScalarConvert(inner, at, made, element);
    made = emitScalarConvert(inner, at, made, sumType);
    made = emitScalar(inner, at, reduction.combiner, {made, x.back()});
    linalg::YieldOp::create(inner, at, made);
  };
  auto reduced = linalg::GenericOp::create(
      builder, loc, dest.getType(), reduction.inputs, dest, reduction.maps,
      reduction.iterators, combine);
  return emitConvert(builder, loc, reduced.getResult(0), element);
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
  Value source = op.getInput();
  if (auto convert = source.getDefiningOp<ConvertOp>())
    source = convert.getOperand();
  Reduction reduction = {&op.getCombiner(),    op.getInitValue(),
                         op.getType(),         {source},
                         getMaps(builder, op), getIterators(op)};
  return emitReduction(builder, op.getLoc(), reduction);
}
