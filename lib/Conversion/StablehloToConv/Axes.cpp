//===- Axes.cpp - tensors by what their dimensions are -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Tensors.h"
#include "conv/Dialect/Conv/IR/Transposition.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::conv;

/// All axes in their order; one group is no axis.
static SmallVector<int> flatten(const AxisOrder &order, int64_t groups) {
  SmallVector<int> axes;
  for (const Axes &held : order)
    for (int axis : held)
      if (axis != G || groups > 1)
        axes.push_back(axis);
  return axes;
}

/// For each axis of `to`, where `from` has it.
static SmallVector<int64_t> getPermutation(const AxisOrder &from,
                                           const AxisOrder &to,
                                           int64_t groups) {
  SmallVector<int> source = flatten(from, groups);
  SmallVector<int64_t> permutation;
  for (int axis : flatten(to, groups))
    permutation.push_back(llvm::find(source, axis) - source.begin());
  return permutation;
}

/// Extents of the axes of a tensor, in their order.
static SmallVector<int64_t> splitShape(ArrayRef<int64_t> shape,
                                       const AxisOrder &order, int64_t groups) {
  SmallVector<int64_t> extents;
  for (auto [extent, held] : llvm::zip(shape, order)) {
    bool isSplit = groups > 1 && llvm::is_contained(held, G);
    if (isSplit)
      extents.push_back(groups);
    extents.push_back(isSplit ? extent / groups : extent);
  }
  return extents;
}

/// Extents of dimensions, of those of their axes.
static SmallVector<int64_t> joinShape(ArrayRef<int64_t> extents,
                                      const AxisOrder &order, int64_t groups) {
  SmallVector<int64_t> shape;
  size_t next = 0;
  for (const Axes &held : order) {
    int64_t extent = extents[next++];
    if (groups > 1 && llvm::is_contained(held, G))
      extent *= extents[next++];
    shape.push_back(extent);
  }
  return shape;
}

bool conv::isMoved(ArrayRef<int64_t> shape, const AxisOrder &from,
                   const AxisOrder &to, int64_t groups) {
  SmallVector<int> axes = flatten(from, groups), longAxes;
  for (auto [axis, extent] : llvm::zip(axes, splitShape(shape, from, groups)))
    if (extent != 1)
      longAxes.push_back(axis);
  SmallVector<int> made = flatten(to, groups);
  llvm::erase_if(made,
                 [&](int axis) { return !llvm::is_contained(longAxes, axis); });
  return longAxes != made;
}

Value conv::emitAxes(OpBuilder &builder, Location loc, Value tensor,
                     const AxisOrder &from, const AxisOrder &to,
                     int64_t groups) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> extents = splitShape(type.getShape(), from, groups);
  SmallVector<int64_t> permutation = getPermutation(from, to, groups);
  SmallVector<int64_t> permuted;
  for (int64_t axis : permutation)
    permuted.push_back(extents[axis]);
  SmallVector<int64_t> shape = joinShape(permuted, to, groups);
  if (!isMoved(type.getShape(), from, to, groups))
    return emitShape(builder, loc, tensor, shape);
  Value split = emitShape(builder, loc, tensor, extents);
  Value moved = emitTransposition(builder, loc, split, permutation);
  return emitShape(builder, loc, moved, shape);
}
