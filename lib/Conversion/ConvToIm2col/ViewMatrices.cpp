//===- ViewMatrices.cpp - dense matrices as views -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F2 with explicit im2col: contractions of dense matrices.
// Output: the same contractions of conv.im2col, each through a view that names
//         the elements of its tensor one after another.
//
// So the passes that tile, copy and address operands know one kind of operand.
//
//===----------------------------------------------------------------------===//

#include "Reshape.h"
#include "conv/Conversion/ConvToIm2col/Passes.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVVIEWMATRICES
#include "conv/Conversion/ConvToIm2col/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
/// A matrix seen through a view, and how the contraction indexes it.
struct ViewedMatrix {
  Value value;
  AffineMap map;
};
} // namespace

/// `matrix` as one image of `rows` positions, whose channels come in `groups`.
static Value viewRows(OpBuilder &builder, Location loc, Value matrix,
                      int64_t rows, int64_t groups) {
  auto type = cast<RankedTensorType>(matrix.getType());
  Value image =
      reshape(builder, loc, matrix, {1, rows, type.getNumElements() / rows});
  auto view = ViewAttr::get(builder.getContext(), /*rows=*/{rows}, /*taps=*/{1},
                            /*stride=*/{1}, /*step=*/{1}, /*offset=*/{0},
                            groups, /*rowGroups=*/1);
  return Im2colOp::create(builder, loc, image, view, /*dropTap=*/true)
      .getResult();
}

/// (row, column), (row, group, column), or (group, row, column): groups of rows
/// lie one behind the other, so that group and row make one index.
static FailureOr<ViewedMatrix>
viewMatrix(OpBuilder &builder, linalg::GenericOp op, OpOperand &operand) {
  Value matrix = operand.get();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(matrix.getType()).getShape();
  auto isGroup = [&](unsigned result) {
    return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap other) {
      return other.isFunctionOfDim(map.getDimPosition(result));
    });
  };
  Location loc = op.getLoc();
  if (shape.size() == 2)
    return ViewedMatrix{viewRows(builder, loc, matrix, shape[0], 1), map};
  if (shape.size() == 3 && isGroup(1))
    return ViewedMatrix{viewRows(builder, loc, matrix, shape[0], shape[1]),
                        map};
  if (shape.size() != 3 || !isGroup(0))
    return op.emitOpError("reads a matrix that has no rows and columns: ")
           << matrix.getType();
  AffineExpr row = map.getResult(0) * shape[1] + map.getResult(1);
  auto rowMap = AffineMap::get(map.getNumDims(), 0, {row, map.getResult(2)},
                               builder.getContext());
  return ViewedMatrix{viewRows(builder, loc, matrix, shape[0] * shape[1], 1),
                      rowMap};
}

static LogicalResult viewOperands(linalg::GenericOp op) {
  OpBuilder builder(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (operand->get().getDefiningOp<Im2colOp>())
      continue;
    FailureOr<ViewedMatrix> viewed = viewMatrix(builder, op, *operand);
    if (failed(viewed))
      return failure();
    operand->set(viewed->value);
    maps[operand->getOperandNumber()] = viewed->map;
  }
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  return success();
}

namespace {
struct ConvViewMatrices
    : public conv::impl::ConvViewMatricesBase<ConvViewMatrices> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> contractions;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(ScheduleAttr::attributeName()))
        contractions.push_back(op);
    });
    for (linalg::GenericOp op : contractions)
      if (failed(viewOperands(op)))
        return signalPassFailure();
  }
};
} // namespace
