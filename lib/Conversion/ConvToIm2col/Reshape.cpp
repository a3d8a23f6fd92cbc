//===- Reshape.cpp - a dense tensor in another shape ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reshape.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace {
/// Runs of dimensions of two shapes that hold the same elements, as short as
/// they can be.
struct CommonRuns {
  SmallVector<ReassociationIndices> from, to;
  SmallVector<int64_t> extents;
};
} // namespace

static CommonRuns getCommonRuns(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  CommonRuns runs;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    ReassociationIndices fromRun{int64_t(i)}, toRun{int64_t(j)};
    int64_t fromExtent = from[i++], toExtent = to[j++];
    while (fromExtent != toExtent) {
      if (fromExtent < toExtent) {
        fromRun.push_back(i);
        fromExtent *= from[i++];
      } else {
        toRun.push_back(j);
        toExtent *= to[j++];
      }
    }
    runs.from.push_back(fromRun);
    runs.to.push_back(toRun);
    runs.extents.push_back(fromExtent);
  }
  // Only unit dimensions can be left.
  for (; i < from.size(); ++i)
    runs.from.back().push_back(i);
  for (; j < to.size(); ++j)
    runs.to.back().push_back(j);
  return runs;
}

Value conv::reshape(OpBuilder &builder, Location loc, Value value,
                    ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  CommonRuns runs = getCommonRuns(type.getShape(), shape);
  if (runs.from.size() < type.getShape().size())
    value = tensor::CollapseShapeOp::create(
        builder, loc, type.clone(runs.extents), value, runs.from);
  if (runs.to.size() < shape.size())
    value = tensor::ExpandShapeOp::create(builder, loc, type.clone(shape),
                                          value, runs.to);
  return value;
}
