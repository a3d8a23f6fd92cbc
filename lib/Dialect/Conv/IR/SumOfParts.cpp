//===- SumOfParts.cpp - the sum over a first dimension --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/SumOfParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

Value conv::emitSumOfParts(OpBuilder &builder, Location loc, Value parts) {
  auto type = cast<RankedTensorType>(parts.getType());
  Type element = type.getElementType();
  ArrayRef<int64_t> shape = type.getShape().drop_front();
  if (type.getDimSize(0) == 1 && !shape.empty()) {
    SmallVector<ReassociationIndices> dims = {{0, 1}};
    for (int64_t dim = 2; dim < type.getRank(); ++dim)
      dims.push_back({dim});
    return tensor::CollapseShapeOp::create(builder, loc, parts, dims);
  }
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  unsigned rank = shape.size();
  SmallVector<AffineExpr> partIndex = {builder.getAffineDimExpr(rank)};
  for (unsigned dim = 0; dim < rank; ++dim)
    partIndex.push_back(builder.getAffineDimExpr(dim));
  AffineMap partMap =
      AffineMap::get(rank + 1, 0, partIndex, builder.getContext());
  AffineMap resultMap = partMap.dropResult(0);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), parts, init,
             ArrayRef<AffineMap>{partMap, resultMap}, iterators,
             [](OpBuilder &b, Location loc, ValueRange args) {
               Value sum = ArithBuilder(b, loc).add(args[1], args[0]);
               linalg::YieldOp::create(b, loc, sum);
             })
      .getResult(0);
}
