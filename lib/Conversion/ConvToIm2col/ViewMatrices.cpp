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
//         the elements of its tensor one after another; conv.scatter of flat
//         results through such a view.
//
// So the passes that tile, copy and address operands know one kind of operand.
//
//===----------------------------------------------------------------------===//

#include "DenseView.h"
#include "Reshape.h"
#include "conv/Conversion/ConvToIm2col/Passes.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVVIEWMATRICES
#include "conv/Conversion/ConvToIm2col/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// Rows that lie one behind the other, in `rowGroups` of equal length, with
/// columns in `groups`.
struct DenseRows {
  int64_t rows, rowGroups = 1, groups = 1;

  /// A tensor of such rows with the groups as batch and the rows of a group as
  /// positions.
  Value toImages(OpBuilder &builder, Location loc, Value tensor) const {
    auto type = cast<RankedTensorType>(tensor.getType());
    return reshape(builder, loc, tensor,
                   {rowGroups, rows, type.getNumElements() / rows / rowGroups});
  }

  ViewAttr getView(MLIRContext *context) const {
    return ViewAttr::get(context, /*rows=*/{rows}, /*taps=*/{1}, /*stride=*/{1},
                         /*step=*/{1}, /*offset=*/{0}, groups, rowGroups,
                         /*strips=*/1);
  }
};
} // namespace

/// (row, column), (row, group, column), or (group, row, column).
static FailureOr<Value> viewMatrix(OpBuilder &builder, linalg::GenericOp op,
                                   OpOperand &operand) {
  Value matrix = operand.get();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(matrix.getType()).getShape();
  auto isGroup = [&](unsigned result) {
    return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap other) {
      return other.isFunctionOfDim(map.getDimPosition(result));
    });
  };
  DenseRows dense{shape.front()};
  if (shape.size() == 3 && isGroup(1))
    dense.groups = shape[1];
  else if (shape.size() == 3 && isGroup(0))
    dense = {.rows = shape[1], .rowGroups = shape[0]};
  else if (shape.size() != 2)
    return op.emitOpError("reads a matrix that has no rows and columns: ")
           << matrix.getType();
  Location loc = op.getLoc();
  return Im2colOp::create(builder, loc, dense.toImages(builder, loc, matrix),
                          dense.getView(builder.getContext()), /*dropTap=*/true)
      .getResult();
}

static LogicalResult viewOperands(linalg::GenericOp op) {
  OpBuilder builder(op);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    // A matrix in a workspace is dense.
    auto matrix = operand->get().getDefiningOp<Im2colOp>();
    if (matrix && !matrix.getDest())
      continue;
    FailureOr<Value> viewed = viewMatrix(builder, op, *operand);
    if (failed(viewed))
      return failure();
    operand->set(*viewed);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The only user of a value, of this kind; null if there is none.
template <typename Op> static Op getOnlyUser(Value value) {
  return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
}

/// Whether the operation changes the elements of one tensor, each alone.
static bool isCast(linalg::GenericOp op) {
  return op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
         op.getNumReductionLoops() == 0 &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); });
}

/// A cast of `value` as `op` casts a tensor of another shape.
static Value castAs(OpBuilder &builder, linalg::GenericOp op, Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), shape,
                                        getElementTypeOrSelf(op.getType(0)));
  AffineMap identity = builder.getMultiDimIdentityMap(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  auto result = linalg::GenericOp::create(
      builder, op.getLoc(), empty.getType(), value, empty,
      ArrayRef<AffineMap>{identity, identity}, iterators);
  IRMapping mapping;
  op.getRegion().cloneInto(&result.getRegion(), mapping);
  return result.getResult(0);
}

/// `flat`, rows of columns, scattered in this order into a tensor.
static Value scatterRows(OpBuilder &builder, Location loc, Value flat,
                         Value tensor) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(flat.getType()).getShape();
  DenseRows dense{shape[shape.size() - 2]};
  if (shape.size() == 3)
    dense.rowGroups = shape.front();
  Value dest = dense.toImages(builder, loc, tensor);
  Value result =
      ScatterOp::create(builder, loc, TypeRange{dest.getType()}, flat, dest,
                        ValueRange(), dense.getView(builder.getContext()))
          .getResult();
  return reshape(builder, loc, result,
                 cast<RankedTensorType>(tensor.getType()).getShape());
}

/// A result whose columns are taps and channels (wgrad) is expanded for what
/// comes next. Where that is casts and a scatter in the order of the elements,
/// they are done on the flat result; where it is anything else, the result gets
/// a workspace.
static void viewResult(linalg::GenericOp op) {
  auto expand = getOnlyUser<tensor::ExpandShapeOp>(op.getResult(0));
  if (!expand)
    return;
  SmallVector<linalg::GenericOp> casts;
  Value value = expand.getResult();
  for (auto next = getOnlyUser<linalg::GenericOp>(value); next && isCast(next);
       next = getOnlyUser<linalg::GenericOp>(value)) {
    casts.push_back(next);
    value = next.getResult(0);
  }
  Value flat = op.getResult(0);
  auto scatter = getOnlyUser<ScatterOp>(value);
  if (scatter && isTensorItself(scatter.getView().getMatrixView(
                     scatter.getDestType().getShape()))) {
    OpBuilder builder(scatter);
    for (linalg::GenericOp next : casts)
      flat = castAs(builder, next, flat);
    scatter.getResult().replaceAllUsesWith(
        scatterRows(builder, scatter.getLoc(), flat, scatter.getDest()));
    scatter.erase();
    return;
  }
  OpBuilder builder(expand);
  auto type = cast<RankedTensorType>(expand.getResult().getType());
  Value workspace = tensor::EmptyOp::create(
      builder, expand.getLoc(), type.getShape(), type.getElementType());
  expand.getResult().replaceAllUsesWith(
      scatterRows(builder, expand.getLoc(), flat, workspace));
  expand.erase();
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
    for (linalg::GenericOp op : contractions)
      viewResult(op);
  }
};
} // namespace
