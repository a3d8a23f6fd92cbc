//===- Transposition.cpp - tensors with other dimensions ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Transposition.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

Value conv::emitTransposition(OpBuilder &builder, Location loc, Value source,
                              ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation))
    return source;
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), permutation);
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, source, empty, permutation)
      ->getResult(0);
}

Value conv::emitReshape(OpBuilder &builder, Location loc, Value tensor,
                        ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto getAll = [](int64_t rank) -> SmallVector<ReassociationIndices> {
    return {llvm::to_vector(llvm::seq<int64_t>(0, rank))};
  };
  Value row = tensor::CollapseShapeOp::create(builder, loc, tensor,
                                              getAll(type.getRank()));
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), row,
                                       getAll(shape.size()));
}

SmallVector<int64_t> conv::getToChannelsLast(int64_t rank) {
  SmallVector<int64_t> permutation = {0};
  for (int64_t dim = 2; dim < rank; ++dim)
    permutation.push_back(dim);
  permutation.push_back(1);
  return permutation;
}

SmallVector<ReassociationIndices> conv::getImageDims(int64_t rank) {
  return {{0}, {1}, llvm::to_vector(llvm::seq<int64_t>(2, rank))};
}

Value conv::getChannelsFirstSource(Value value) {
  auto op = value.getDefiningOp<linalg::TransposeOp>();
  int64_t rank = op ? op.getPermutation().size() : 0;
  if (rank < 3 || op.getPermutation() != ArrayRef(getToChannelsLast(rank)))
    return Value();
  return op.getInput();
}
