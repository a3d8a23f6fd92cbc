//===- TileOrder.cpp - tiles as they lie in memory ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOrder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;

static VectorType reverse(VectorType type) {
  SmallVector<int64_t> shape = llvm::to_vector(llvm::reverse(type.getShape()));
  return VectorType::get(shape, type.getElementType());
}

static AffineMap reverse(AffineMap map) {
  return AffineMap::get(map.getNumDims(), 0,
                        llvm::to_vector(llvm::reverse(map.getResults())),
                        map.getContext());
}

/// Lets the contraction take its operands that are `vector` transposed.
static void reverseOperand(vector::ContractionOp op, Value vector) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [map, operand] : llvm::zip(maps, op->getOperands()))
    if (operand == vector)
      map = reverse(map);
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

static void reverseOperand(vector::MultiDimReductionOp op) {
  SmallVector<int64_t> dims;
  for (int64_t dim : op.getReductionDims())
    dims.push_back(op.getSourceVectorType().getRank() - 1 - dim);
  llvm::sort(dims);
  op.setReductionDims(dims);
}

/// A vector of the tile became transposed; so does what is made of it. Elements
/// may be rounded or widened in between (GemmKNest.h).
static void reverseUsers(Value vector) {
  vector.setType(reverse(cast<VectorType>(vector.getType())));
  for (Operation *user : vector.getUsers()) {
    if (auto contraction = dyn_cast<vector::ContractionOp>(user))
      reverseOperand(contraction, vector);
    else if (auto sum = dyn_cast<vector::MultiDimReductionOp>(user))
      reverseOperand(sum);
    else
      reverseUsers(user->getResult(0));
  }
}

/// The place of a tile, its copy and its reads.
static void orderTile(Im2colOp copy) {
  auto alloc = copy.getDest().getDefiningOp<memref::AllocOp>();
  auto type = alloc.getType();
  alloc.getResult().setType(MemRefType::Builder(type).setShape(
      llvm::to_vector(llvm::reverse(type.getShape()))));
  copy.setTransposed(true);
  for (Operation *user : alloc->getUsers())
    if (auto read = dyn_cast<vector::TransferReadOp>(user))
      reverseUsers(read.getResult());
}

static LogicalResult orderTile(Im2colOp copy, OperandCopy way) {
  if (copy.getTransposed() == keepsOrder(way))
    return success();
  if (!copy.readsNeighbours() || copy.getMatrixType().getRank() != 2 ||
      !copy.getDest().getDefiningOp<memref::AllocOp>())
    return copy.emitOpError()
           << "cannot come as " << stringifyOperandCopy(way)
           << ", as the plan of its kernel says: these have positions in the "
              "order of memory";
  if (!keepsOrder(way))
    return copy.emitOpError()
           << "has its tile in the order of memory, which the plan of its "
              "kernel, with "
           << stringifyOperandCopy(way) << ", has not";
  orderTile(copy);
  return success();
}

LogicalResult conv::orderTiles(GemmKNest &nest) {
  vector::ContractionOp contraction = nest.contraction;
  Im2colOp left = nest.getCopy(contraction.getLhs());
  Im2colOp right = nest.getCopy(contraction.getRhs());
  if (failed(orderTile(left, *nest.plan.left)))
    return failure();
  return left == right ? success() : orderTile(right, *nest.plan.right);
}
