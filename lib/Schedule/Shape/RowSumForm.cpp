//===- RowSumForm.cpp - which sums of dy a kernel makes -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/RowSumForm.h"

#include "conv/Schedule/Shape/MmaShape.h"
#include "conv/Schedule/Shape/RowSumLayout.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Whether the contraction reduces a dimension of its left operand.
static bool isReduced(linalg::LinalgOp contraction, unsigned dim) {
  AffineMap map =
      contraction.getMatchingIndexingMap(contraction.getDpsInputOperand(0));
  return contraction.getIteratorTypesArray()[map.getDimPosition(dim)] ==
         utils::IteratorType::reduction;
}

static unsigned getRank(linalg::LinalgOp contraction) {
  return cast<ShapedType>(contraction.getDpsInputs()[0].getType()).getRank();
}

bool conv::reducesColumns(linalg::LinalgOp contraction) {
  return isReduced(contraction, getRank(contraction) - 1);
}

Im2colOp conv::getReducedRows(linalg::LinalgOp contraction) {
  if (!contraction->hasAttr(ScheduleAttr::attributeName()))
    return nullptr;
  auto matrix = contraction.getDpsInputs()[0].getDefiningOp<Im2colOp>();
  if (!matrix)
    return nullptr;
  unsigned rank = getRank(contraction);
  bool isChannelsFirst = reducesColumns(contraction);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isReduced(contraction, dim) !=
        (isChannelsFirst ? dim + 2 != rank : dim == 0))
      return nullptr;
  return matrix;
}

linalg::GenericOp conv::findRowSum(linalg::LinalgOp contraction) {
  Im2colOp matrix = getReducedRows(contraction);
  if (!matrix)
    return nullptr;
  for (Operation *user : matrix->getUsers()) {
    auto sum = dyn_cast<linalg::GenericOp>(user);
    if (sum && sum.getNumDpsInputs() == 1 && sum.getNumReductionLoops() > 0)
      return sum;
  }
  return nullptr;
}

/// Whether the matrix has each position of the tensor once.
static bool hasEachPositionOnce(Im2colOp matrix, bool isChannelsFirst) {
  ViewAttr view = matrix.getView();
  ArrayRef<int64_t> shape = matrix.getSourceType().getShape();
  if (view.getStrips() != 1 ||
      view.getRowGroups() != (isChannelsFirst ? shape.front() : 1) ||
      (isChannelsFirst && (view.getGroups() > 1 || shape.size() != 3)))
    return false;
  for (int64_t d = 0; d < view.getSpatialRank(); ++d)
    if (view.getTaps()[d] != 1 || view.getStride()[d] != 1 ||
        view.getOffset()[d] != 0 || view.getRows()[d] < shape[d + 1])
      return false;
  return true;
}

/// Whether helpers can share out the tiles of the left operand.
static bool canShare(ScheduleAttr schedule, bool isChannelsFirst,
                     int64_t bytes) {
  int64_t filters = schedule.getTile()[0], positions = schedule.getTile()[2];
  return isChannelsFirst
             ? LineSumLayout::get(filters, positions, bytes).has_value()
             : RowSumLayout::get(positions, filters, bytes).has_value();
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
  if (schedule.getGather())
    return "all warps that could sum tiles gather them (gather)";
  Type element = dy.getSourceType().getElementType();
  if (!element.isF16() && !element.isBF16())
    return formatv("tiles of f16 and bf16 are summed, not of {0}",
                   getTypeName(element));
  bool isChannelsFirst = reducesColumns(contraction);
  ArrayRef<int64_t> tile = schedule.getTile();
  if (!canShare(schedule, isChannelsFirst, element.getIntOrFloatBitWidth() / 8))
    return formatv("a tile of {0} positions and {1} filters cannot be shared "
                   "out evenly among the warps that would sum it",
                   tile[2], tile[0]);
  if (!hasEachPositionOnce(dy, isChannelsFirst))
    return "the matrix of dy does not have each position once";
  return "";
}
