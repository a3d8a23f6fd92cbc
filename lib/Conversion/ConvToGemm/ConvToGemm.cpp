//===- ConvToGemm.cpp - F1 to F2 ------------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop names follow the contraction: g groups, m rows (pixels), n columns, then
// the reductions. The views come from convmlir::ConvGeometry and nothing else.
//
//===----------------------------------------------------------------------===//

#include "conv/Conversion/ConvToGemm/Passes.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Geometry/ConvGeometry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTCONVTOGEMM
#include "conv/Conversion/ConvToGemm/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;
using convmlir::DgradPhase;
using convmlir::MatrixView;

namespace {

/// Builds the F2 form of one operation.
class GemmBuilder {
public:
  GemmBuilder(OpBuilder &builder, ConvOpInterface op, ConvGeometry geometry)
      : builder(builder), op(op), loc(op->getLoc()), geometry(geometry),
        groups(geometry.groups), schedule(op->getAttrOfType<ScheduleAttr>(
                                     ScheduleAttr::attributeName())) {}

  Value build();

private:
  Value buildForward();
  Value buildDgrad();
  Value buildDgradPhase(const DgradPhase &phase, Value dest);
  Value buildWgrad();
  Value buildEmptyBatch();

  Value im2col(Value source, const MatrixView &view, int64_t viewGroups,
               bool dropTap = false);
  Value scatter(Value matrix, const MatrixView &view, int64_t viewGroups,
                Value dest);
  Value zeros(ArrayRef<int64_t> shape, Type type);
  Value contract(Value a, Value b, ArrayRef<int64_t> shape,
                 ArrayRef<AffineMap> maps, unsigned numParallel);
  Value castTo(Value matrix, Type type);
  /// The map with `dims` loops whose results are named by letters of `loops`,
  /// "G" for the index g * `groupSize` + the next letter.
  AffineMap map(StringRef loops, StringRef results, int64_t groupSize = 0);

  OpBuilder &builder;
  ConvOpInterface op;
  Location loc;
  ConvGeometry geometry;
  int64_t groups;
  ScheduleAttr schedule;
};

} // namespace

Value GemmBuilder::im2col(Value source, const MatrixView &view,
                          int64_t viewGroups, bool dropTap) {
  return Im2colOp::create(builder, loc, source,
                          ViewAttr::get(builder.getContext(), view, viewGroups),
                          dropTap)
      .getResult();
}

Value GemmBuilder::scatter(Value matrix, const MatrixView &view,
                           int64_t viewGroups, Value dest) {
  Type type = cast<ShapedType>(dest.getType()).getElementType();
  return ScatterOp::create(
             builder, loc, TypeRange{dest.getType()}, castTo(matrix, type),
             dest, ValueRange(),
             ViewAttr::get(builder.getContext(), view, viewGroups))
      .getResult();
}

Value GemmBuilder::zeros(ArrayRef<int64_t> shape, Type type) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type);
  return linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
}

AffineMap GemmBuilder::map(StringRef loops, StringRef results,
                           int64_t groupSize) {
  auto dim = [&](char letter) {
    return builder.getAffineDimExpr(loops.find(letter));
  };
  SmallVector<AffineExpr> exprs;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] != 'G') {
      exprs.push_back(dim(results[i]));
      continue;
    }
    AffineExpr base = dim('g') * groupSize;
    exprs.push_back(base + dim(results[++i]));
  }
  return AffineMap::get(loops.size(), 0, exprs, builder.getContext());
}

/// acc += a * b in the accumulation type, over all loops after the first
/// `numParallel`.
Value GemmBuilder::contract(Value a, Value b, ArrayRef<int64_t> shape,
                            ArrayRef<AffineMap> maps, unsigned numParallel) {
  Type accType = op.getAccType();
  SmallVector<utils::IteratorType> iterators(maps[0].getNumDims(),
                                             utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), numParallel, utils::IteratorType::parallel);
  Value init = zeros(shape, accType);
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), ValueRange{a, b}, init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value lhs = convertScalarToDtype(b, loc, args[0], accType, false);
        Value rhs = convertScalarToDtype(b, loc, args[1], accType, false);
        bool isFloat = isa<FloatType>(accType);
        Value product = isFloat
                            ? Value(arith::MulFOp::create(b, loc, lhs, rhs))
                            : Value(arith::MulIOp::create(b, loc, lhs, rhs));
        Value sum =
            isFloat ? Value(arith::AddFOp::create(b, loc, args[2], product))
                    : Value(arith::AddIOp::create(b, loc, args[2], product));
        linalg::YieldOp::create(b, loc, sum);
      });
  if (schedule)
    generic->setAttr(ScheduleAttr::attributeName(), schedule);
  return generic.getResult(0);
}

/// The matrix in the element type of the result.
Value GemmBuilder::castTo(Value matrix, Type type) {
  auto from = cast<RankedTensorType>(matrix.getType());
  if (from.getElementType() == type)
    return matrix;
  Value empty = tensor::EmptyOp::create(builder, loc, from.getShape(), type);
  AffineMap identity = builder.getMultiDimIdentityMap(from.getRank());
  SmallVector<utils::IteratorType> iterators(from.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), matrix, empty,
             ArrayRef<AffineMap>{identity, identity}, iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(
                   b, loc, convertScalarToDtype(b, loc, args[0], type, false));
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// The three operations
//===----------------------------------------------------------------------===//

/// y[m, n] += X[m, t, c] * W[n, t, c]
Value GemmBuilder::buildForward() {
  MatrixView x = geometry.inputView(), y = geometry.outputView();
  Value matrixX = im2col(op.getInput(), x, groups);
  Value matrixW = im2col(op.getFilter(), geometry.filterView(), 1);
  int64_t perGroup = geometry.k / groups;
  Value acc =
      groups == 1
          ? contract(
                matrixX, matrixW, {x.numRows(), geometry.k},
                {map("mntc", "mtc"), map("mntc", "ntc"), map("mntc", "mn")}, 2)
          : contract(matrixX, matrixW, {x.numRows(), groups, perGroup},
                     {map("gmntc", "mtgc"), map("gmntc", "Gntc", perGroup),
                      map("gmntc", "mgn")},
                     3);
  return scatter(acc, y, groups, op.getDest());
}

/// dx[m, n] += DY[m, t, k] * W[k, t, n], for the rows and taps of one phase.
Value GemmBuilder::buildDgradPhase(const DgradPhase &phase, Value dest) {
  int64_t rows = phase.dx.numRows(), perGroup = geometry.c / groups;
  if (rows == 0)
    return dest;
  SmallVector<int64_t> shape = {rows, perGroup};
  if (groups > 1)
    shape.insert(shape.begin() + 1, groups);
  if (phase.dy.numTaps() == 0) {
    Type type = cast<ShapedType>(dest.getType()).getElementType();
    return scatter(zeros(shape, type), phase.dx, groups, dest);
  }
  Value matrixDY = im2col(op.getOutput(), phase.dy, groups);
  Value matrixW = im2col(op.getFilter(), phase.w, 1);
  Value acc = groups == 1 ? contract(matrixDY, matrixW, shape,
                                     {map("mntk", "mtk"), map("mntk", "ktn"),
                                      map("mntk", "mn")},
                                     2)
                          : contract(matrixDY, matrixW, shape,
                                     {map("gmntk", "mtgk"),
                                      map("gmntk", "Gktn", geometry.k / groups),
                                      map("gmntk", "mgn")},
                                     3);
  return scatter(acc, phase.dx, groups, dest);
}

Value GemmBuilder::buildDgrad() {
  Value dest = op.getDest();
  for (const DgradPhase &phase : geometry.dgradPhases())
    dest = buildDgradPhase(phase, dest);
  return dest;
}

/// dW[n, t, c] += DY[m, n] * X[m, t, c]
Value GemmBuilder::buildWgrad() {
  MatrixView x = geometry.inputView();
  Value matrixX = im2col(op.getInput(), x, groups);
  Value matrixDY = im2col(op.getOutput(), geometry.outputView(), groups,
                          /*dropTap=*/true);
  int64_t taps = x.numTaps(), perGroup = geometry.c / groups;
  Value acc;
  if (groups == 1) {
    acc = contract(matrixDY, matrixX, {geometry.k, taps, perGroup},
                   {map("ntcm", "mn"), map("ntcm", "mtc"), map("ntcm", "ntc")},
                   3);
  } else {
    acc = contract(
        matrixDY, matrixX, {groups, geometry.k / groups, taps, perGroup},
        {map("gntcm", "mgn"), map("gntcm", "mtgc"), map("gntcm", "gntc")}, 4);
    acc = tensor::CollapseShapeOp::create(
        builder, loc, acc, ArrayRef<ReassociationIndices>{{0, 1}, {2}, {3}});
  }
  return scatter(acc, geometry.filterView(), 1, op.getDest());
}

/// Nothing to sum: y and dx have no elements, dW is all zeros.
Value GemmBuilder::buildEmptyBatch() {
  if (op.getConvKind() != ConvKind::Wgrad)
    return op.getDest();
  MatrixView w = geometry.filterView();
  Value zero = zeros({w.numRows(), w.numTaps(), w.channels},
                     op.getDestType().getElementType());
  return scatter(zero, w, 1, op.getDest());
}

Value GemmBuilder::build() {
  if (geometry.n == 0)
    return buildEmptyBatch();
  switch (op.getConvKind()) {
  case ConvKind::Forward:
    return buildForward();
  case ConvKind::Dgrad:
    return buildDgrad();
  case ConvKind::Wgrad:
    return buildWgrad();
  }
  llvm_unreachable("unknown kind of convolution");
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Why implicit GEMM cannot take `op`; empty if it can.
static std::string whyNot(ConvOpInterface op, const ConvGeometry &geometry) {
  if (!isa<RankedTensorType>(op.getDestType()))
    return "works on tensors, but the operation is on buffers";
  if (op.getLayout() != Layout::NHWC)
    return "needs the layout nhwc";
  for (int64_t value : op.getInputDilation())
    if (value != 1)
      return "does not support input dilation";
  return "";
}

namespace {
struct ConvertConvToGemm
    : public conv::impl::ConvertConvToGemmBase<ConvertConvToGemm> {
  void runOnOperation() override {
    SmallVector<ConvOpInterface> ops;
    getOperation().walk([&](ConvOpInterface op) { ops.push_back(op); });
    for (ConvOpInterface op : ops) {
      FailureOr<ConvGeometry> geometry = op.getGeometry();
      if (failed(geometry))
        return signalPassFailure();
      if (std::string reason = whyNot(op, *geometry); !reason.empty()) {
        op->emitOpError("implicit GEMM ") << reason;
        return signalPassFailure();
      }
      OpBuilder builder(op);
      Value result = GemmBuilder(builder, op, *geometry).build();
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};
} // namespace
