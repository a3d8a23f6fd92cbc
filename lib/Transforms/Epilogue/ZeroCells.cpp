//===- ZeroCells.cpp - zeros beside the rows of a matrix ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroCells.h"

#include "conv/Geometry/SharedTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

ZeroCells::ZeroCells(ScatterOp op) {
  if (!op.getZeroFill())
    return;
  ViewAttr view = op.getView();
  rows = view.getRows();
  cell = view.getStride();
  SmallVector<int64_t> shape = op.getTensorShape();
  extents.assign(shape.begin() + 1, shape.end() - 1);
  if (!op.getChannelsFirst()) {
    channels = shape.back();
    return;
  }
  // One store, which is aligned where a row of positions has whole cells.
  int64_t bytes = op.getDestType().getElementTypeBitWidth() / 8;
  if (extents.back() % cell.back() == 0 && llvm::isPowerOf2_64(cell.back()) &&
      cell.back() * bytes <= convmlir::kChunkBytes)
    length = cell.back();
}

Value ZeroCells::widen(OpBuilder &builder, Location loc, Value values) const {
  if (length == 1)
    return values;
  auto type = cast<VectorType>(values.getType());
  auto wide = VectorType::get(length, type.getElementType());
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(wide));
  Value value = vector::ExtractOp::create(builder, loc, values, 0);
  return vector::InsertOp::create(builder, loc, value, zeros, 0);
}

/// Whether the position is inside that is so far from a row's own. Rows are
/// numbered with the last dimension innermost.
Value ZeroCells::isInside(IndexMath &math, Value row,
                          ArrayRef<int64_t> distances) const {
  Value inside;
  for (size_t dim = cell.size(); dim-- > 0;) {
    Value index = math.rem(row, rows[dim]);
    row = math.div(row, rows[dim]);
    if (distances[dim] == 0 || extents[dim] % cell[dim] == 0)
      continue;
    Value position = math.add(math.mul(index, cell[dim]), distances[dim]);
    inside = math.both(inside, math.isBelow(position, extents[dim]));
  }
  return inside;
}

SmallVector<ZeroCells::Zeros> ZeroCells::getZeros(IndexMath &math,
                                                  Value row) const {
  SmallVector<Zeros> zeros;
  int64_t number = llvm::product_of(cell, int64_t(1));
  SmallVector<int64_t> distances(cell.size());
  for (int64_t i = length; i < number; i += length) {
    int64_t left = i, distance = 0, pitch = channels;
    for (size_t dim = cell.size(); dim-- > 0;) {
      distances[dim] = left % cell[dim];
      left /= cell[dim];
      distance += distances[dim] * pitch;
      pitch *= extents[dim];
    }
    zeros.push_back({distance, isInside(math, row, distances)});
  }
  return zeros;
}
