//===- TransposeFilter.cpp - filters with gemm-k of dgrad last ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposeFilter.h"

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/Transposition.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

Value conv::transposeFilter(OpBuilder &builder, Location loc, Value source,
                            int64_t groups) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ReassociationIndices> dims = {{0, 1}};
  if (groups > 1) {
    // The first dimension is group and filter, or group and channel.
    for (int64_t d = 1; d < type.getRank(); ++d)
      dims.push_back({d + 1});
    shape.front() /= groups;
    shape.insert(shape.begin(), groups);
    source = tensor::ExpandShapeOp::create(builder, loc, type.clone(shape),
                                           source, dims);
  }
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(shape.size()));
  size_t outer = groups > 1 ? 1 : 0, inner = shape.size() - 1;
  std::swap(permutation[outer], permutation[inner]);
  Value transposed = emitTransposition(builder, loc, source, permutation);
  if (groups == 1)
    return transposed;
  return tensor::CollapseShapeOp::create(builder, loc, transposed, dims);
}

Value conv::blockFilter(OpBuilder &builder, Location loc, Value filter,
                        bool isForward) {
  constexpr int64_t block = AddTapsOp::kBlockRows;
  auto type = cast<RankedTensorType>(filter.getType());
  bool hasOuterTaps = type.getRank() > 3;
  ArrayRef<int64_t> shape = type.getShape();
  int64_t r = hasOuterTaps ? shape[2] : 1, s = shape.back();
  // [K, C, r, s] with the filters of the result in blocks.
  SmallVector<int64_t> blocked = {shape[0], shape[1], r, s};
  size_t rows = isForward ? 0 : 1;
  blocked[rows] /= block;
  blocked.insert(blocked.begin() + rows + 1, block);
  Value source = emitReshape(builder, loc, filter, blocked);
  if (isForward)
    return tensor::CollapseShapeOp::create(
        builder, loc, emitTransposition(builder, loc, source, {0, 4, 1, 3, 2}),
        ArrayRef<ReassociationIndices>{{0, 1, 2}, {3}, {4}});
  return tensor::CollapseShapeOp::create(
      builder, loc, emitTransposition(builder, loc, source, {0, 3, 1, 4, 2}),
      ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3, 4}});
}
