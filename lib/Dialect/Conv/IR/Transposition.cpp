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

Value conv::getChannelsFirstSource(Value value) {
  auto op = value.getDefiningOp<linalg::TransposeOp>();
  if (!op)
    return Value();
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t rank = permutation.size();
  if (rank < 3 || permutation.front() != 0 || permutation.back() != 1)
    return Value();
  for (int64_t dim = 1; dim + 1 < rank; ++dim)
    if (permutation[dim] != dim + 1)
      return Value();
  return op.getInput();
}
