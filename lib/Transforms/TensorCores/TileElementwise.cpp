//===- TileElementwise.cpp - elementwise operations on fragments ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that treat all elements of a tile alike do the same to each of its
// fragments.
//
//===----------------------------------------------------------------------===//

#include "TileDistribution.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult mlir::conv::distributeBroadcast(vector::BroadcastOp op,
                                              TileDistribution &distribution) {
  OpBuilder builder(op);
  Value source = op.getSource();
  Type type = op.getResultVectorType();
  VectorType fragmentType = distribution.getFragmentType(type);
  auto broadcast = [&](Value value) -> Value {
    return vector::BroadcastOp::create(builder, op.getLoc(), fragmentType,
                                       value);
  };
  int64_t number = distribution.getNumFragments(type);
  if (!isa<VectorType>(source.getType())) {
    distribution.setFragments(op,
                              SmallVector<Value>(number, broadcast(source)));
    return success();
  }
  TileKind kind = distribution.getKind(source.getType());
  if ((kind != TileKind::Columns &&
       (kind != TileKind::Rows || distribution.layout.isSwapped())) ||
      distribution.getKind(type) != TileKind::Block)
    return op.emitOpError("only a scalar, or a row along gemm-n or gemm-m, can "
                          "be broadcast to a tile");
  // All blocks of one column share the broadcast row, those of a tile's taps
  // too; or all of one row, which a column is in a transposed accumulator.
  bool isOfRow = kind == TileKind::Rows || distribution.layout.isSwapped();
  SmallVector<Value> values;
  for (Value value : distribution.getFragments(source))
    values.push_back(broadcast(value));
  int64_t perRow = number / values.size();
  SmallVector<Value> result;
  for (int64_t i = 0; i < number; ++i)
    result.push_back(values[isOfRow ? i / perRow : i % values.size()]);
  distribution.setFragments(op, result);
  return success();
}

LogicalResult mlir::conv::distributeShapeCast(vector::ShapeCastOp op,
                                              TileDistribution &distribution) {
  if (distribution.getKind(op.getSource().getType()) !=
      distribution.getKind(op.getType()))
    return op.emitOpError("can only add or drop unit dimensions of a tile");
  distribution.setFragments(
      op, SmallVector<Value>(distribution.getFragments(op.getSource())));
  return success();
}

LogicalResult
mlir::conv::distributeElementwise(Operation *op,
                                  TileDistribution &distribution) {
  OpBuilder builder(op);
  Type tileType = op->getResult(0).getType();
  SmallVector<Value> result;
  for (int64_t i = 0, e = distribution.getNumFragments(tileType); i < e; ++i) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (distribution.getKind(operand.getType()) != TileKind::None)
        mapping.map(operand, distribution.getFragments(operand)[i]);
    Operation *clone = builder.clone(*op, mapping);
    clone->getResult(0).setType(distribution.getFragmentType(tileType));
    result.push_back(clone->getResult(0));
  }
  distribution.setFragments(op->getResult(0), result);
  return success();
}
