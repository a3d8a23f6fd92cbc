//===- BiasGradient.cpp - dy is summed where it is multiplied -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BiasGradient.h"

#include "MmaShape.h"
#include "RowSumLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// What is summed where
//===----------------------------------------------------------------------===//

linalg::GenericOp conv::findRowSum(linalg::LinalgOp contraction) {
  Value matrix = contraction->getOperand(0);
  for (Operation *user : matrix.getUsers()) {
    auto sum = dyn_cast<linalg::GenericOp>(user);
    if (sum && sum.getNumDpsInputs() == 1 && sum.getNumReductionLoops() == 1)
      return sum;
  }
  return nullptr;
}

/// Whether the matrix has each position of the tensor once.
static bool hasEachPositionOnce(Im2colOp matrix) {
  ViewAttr view = matrix.getView();
  ArrayRef<int64_t> shape = matrix.getSourceType().getShape();
  if (view.getStrips() != 1 || view.getRowGroups() != 1)
    return false;
  for (int64_t d = 0; d < view.getSpatialRank(); ++d)
    if (view.getTaps()[d] != 1 || view.getStride()[d] != 1 ||
        view.getOffset()[d] != 0 || view.getRows()[d] < shape[d + 1])
      return false;
  return true;
}

std::string conv::whyApart(linalg::LinalgOp contraction, Im2colOp dy) {
  auto schedule =
      contraction->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (schedule.getAlgorithm() != Algorithm::ImplicitGemm)
    return "explicit im2col copies what its kernels read";
  if (schedule.getCopy() != CopyKind::Tma ||
      schedule.getMma() != MmaKind::Wgmma)
    return formatv("warps that sum what others multiply are of kernels with "
                   "copy=tma and mma=wgmma, and this one has copy={0} and "
                   "mma={1}",
                   stringifyCopyKind(schedule.getCopy()),
                   stringifyMmaKind(schedule.getMma()));
  if (schedule.getTail() > 1)
    return "a kernel that makes its last tiles in parts (tail) sums nothing";
  if (schedule.getGather())
    return "all warps that could sum tiles gather them (gather)";
  Type element = dy.getSourceType().getElementType();
  if (!element.isF16() && !element.isBF16())
    return formatv("tiles of f16 and bf16 are summed, not of {0}",
                   getTypeName(element));
  ArrayRef<int64_t> tile = schedule.getTile();
  if (!RowSumLayout::get(tile[2], tile[0], element.getIntOrFloatBitWidth() / 8))
    return formatv("a tile of {0} positions and {1} filters cannot be shared "
                   "out evenly among the warps that would sum it",
                   tile[2], tile[0]);
  if (!hasEachPositionOnce(dy))
    return "the matrix of dy does not have each position once";
  return "";
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Groups of channels, and those of a group.
static std::pair<int64_t, int64_t> getChannels(linalg::GenericOp rowSum) {
  auto shape = cast<ShapedType>(rowSum.getResult(0).getType()).getShape();
  return {shape.size() > 1 ? shape.front() : 1, shape.back()};
}

RankedTensorType conv::getRowSumsType(linalg::GenericOp rowSum, int64_t parts) {
  auto [groups, channels] = getChannels(rowSum);
  return RankedTensorType::get(
      {1, parts, groups * channels},
      getElementTypeOrSelf(rowSum.getResult(0).getType()));
}

Value conv::emitIsFirstOfRows(OpBuilder &builder, Location loc,
                              const Tile &tile, ViewAttr view) {
  Value isFirst;
  for (OpFoldResult offset :
       ArrayRef(tile.offsets).drop_front(view.getRowDim() + 1)) {
    if (isConstantIntValue(offset, 0))
      continue;
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value isZero = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq,
        getValueOrCreateConstantIndexOp(builder, loc, offset), zero);
    isFirst =
        isFirst
            ? arith::AndIOp::create(builder, loc, isFirst, isZero).getResult()
            : isZero;
  }
  return isFirst;
}

/// Row 0 is a part, as in a tensor of one image and a line of parts.
void conv::emitRowSumScatter(OpBuilder &builder, linalg::GenericOp rowSum,
                             scf::ForallOp forall, Value sums, const Tile &tile,
                             ViewAttr view, Value part, Value condition) {
  Value dest = forall.getRegionIterArgs().back();
  Location loc = rowSum.getLoc();
  auto [groups, channels] = getChannels(rowSum);
  int64_t parts = cast<ShapedType>(dest.getType()).getDimSize(1);
  auto rows = ViewAttr::get(builder.getContext(), parts, /*taps=*/1,
                            /*stride=*/1, /*step=*/1, /*offset=*/0, groups,
                            /*rowGroups=*/1, /*strips=*/1);
  OpFoldResult zero = builder.getIndexAttr(0);
  SmallVector<OpFoldResult> offsets = {part ? OpFoldResult(part) : zero, zero};
  if (groups > 1)
    offsets.push_back(tile.offsets.front());
  offsets.push_back(tile.offsets[view.getRowDim()]);
  SmallVector<Value> positions =
      getValueOrCreateConstantIndexOp(builder, loc, offsets);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(forall.getTerminator().getBody());
  ScatterOp::create(builder, loc, TypeRange(), sums, dest, positions, condition,
                    /*phase=*/Value(), builder.getArrayAttr(rows),
                    /*channels_first=*/UnitAttr());
}

Value conv::sumRowParts(OpBuilder &builder, linalg::GenericOp rowSum,
                        Value parts) {
  Location loc = rowSum.getLoc();
  auto type = cast<RankedTensorType>(parts.getType());
  Type element = type.getElementType();
  int64_t number = type.getDimSize(1), channels = type.getDimSize(2);
  Value sum;
  if (number == 1) {
    sum = tensor::CollapseShapeOp::create(
        builder, loc, parts, ArrayRef<ReassociationIndices>{{0, 1, 2}});
  } else {
    Value matrix = tensor::CollapseShapeOp::create(
        builder, loc, parts, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    Value empty = tensor::EmptyOp::create(builder, loc,
                                          ArrayRef<int64_t>{channels}, element);
    Value zeros =
        linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
    AffineExpr channel, part;
    bindDims(builder.getContext(), channel, part);
    sum = linalg::GenericOp::create(
              builder, loc, zeros.getType(), matrix, zeros,
              AffineMap::inferFromExprList(
                  {ArrayRef{part, channel}, ArrayRef{channel}},
                  builder.getContext()),
              {utils::IteratorType::parallel, utils::IteratorType::reduction},
              [](OpBuilder &b, Location loc, ValueRange args) {
                Value sum = arith::AddFOp::create(b, loc, args[1], args[0]);
                linalg::YieldOp::create(b, loc, sum);
              })
              .getResult(0);
  }
  auto wanted = cast<RankedTensorType>(rowSum.getResult(0).getType());
  if (wanted.getRank() == 1)
    return sum;
  return tensor::ExpandShapeOp::create(builder, loc, wanted, sum,
                                       ArrayRef<ReassociationIndices>{{0, 1}});
}
