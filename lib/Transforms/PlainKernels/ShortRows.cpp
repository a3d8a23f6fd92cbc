//===- ShortRows.cpp - transpositions to rows of a few elements -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShortRows.h"
#include "PlainKernels.h"
#include "Support/IndexMath.h"
#include "TransposedLoops.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::conv;

bool conv::hasShortTransposedRows(linalg::GenericOp op) {
  constexpr int64_t mostOfRow = 16;
  if (!isMove(op))
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  std::optional<unsigned> across = getTransposedLoop(op);
  OpOperand *input = op.getDpsInputOperand(0);
  // A slice would be copied to be read as one dimension.
  if (!across || *across + 2 != extents.size() ||
      !op.getMatchingIndexingMap(input).isPermutation() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      input->get().getDefiningOp<tensor::ExtractSliceOp>())
    return false;
  int64_t row = extents.back(), run = row * extents[*across];
  auto getWidth = [&](int64_t extent) {
    return getPlainWidth(extent, op->getOperandTypes());
  };
  return row > 1 && row <= mostOfRow && getWidth(row) == 1 && getWidth(run) > 1;
}

Value conv::gatherShortRows(RewriterBase &rewriter, linalg::GenericOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  int64_t rank = type.getRank(), row = type.getShape().back();
  Value source = op.getDpsInputs().front();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(source.getType()).getShape();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  SmallVector<ReassociationIndices> all = {
      llvm::to_vector(llvm::seq<int64_t>(rank))};
  Value flat = tensor::CollapseShapeOp::create(rewriter, loc, source, all);

  SmallVector<ReassociationIndices> runs;
  for (int64_t dim = 0; dim < rank - 1; ++dim)
    runs.push_back({dim});
  runs.back().push_back(rank - 1);
  Value into = tensor::CollapseShapeOp::create(rewriter, loc,
                                               op.getDpsInits().front(), runs);
  auto emitBody = [&](OpBuilder &builder, Location loc, ValueRange) {
    IndexMath math(builder, loc);
    SmallVector<Value> position;
    for (int64_t dim = 0; dim < rank - 1; ++dim)
      position.push_back(linalg::IndexOp::create(builder, loc, dim));
    Value inRun = position.back();
    position.back() = math.div(inRun, row);
    position.push_back(math.rem(inRun, row));
    Value offset = math.constant(0);
    for (auto [index, stride] :
         llvm::zip_equal(map.getResults(), computeSuffixProduct(shape))) {
      Value along = position[cast<AffineDimExpr>(index).getPosition()];
      offset = math.add(offset, math.mul(along, stride));
    }
    Value element = tensor::ExtractOp::create(builder, loc, flat, offset);
    linalg::YieldOp::create(builder, loc, element);
  };
  auto gather = linalg::GenericOp::create(
      rewriter, loc, into.getType(), ValueRange(), into,
      rewriter.getMultiDimIdentityMap(rank - 1),
      SmallVector<utils::IteratorType>(rank - 1, utils::IteratorType::parallel),
      emitBody);
  return tensor::ExpandShapeOp::create(rewriter, loc, type, gather.getResult(0),
                                       runs);
}
