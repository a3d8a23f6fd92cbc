//===- SplitReduction.cpp - the sum of a split gemm-k ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitReduction.h"
#include "TileProducers.h"

#include "conv/Dialect/Conv/IR/SumOfParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

RankedTensorType conv::getWorkspaceType(const StridePhases &phases,
                                        int64_t split) {
  ShapedType result = phases.front().getDestType();
  SmallVector<int64_t> shape(result.getShape());
  shape.front() *= split;
  linalg::LinalgOp contraction = phases.contraction;
  return RankedTensorType::get(
      shape, getElementTypeOrSelf(contraction->getResult(0).getType()));
}

ViewAttr conv::getWorkspaceView(ViewAttr result, int64_t split) {
  return ViewAttr::get(result.getContext(), result.getRows(), result.getTaps(),
                       result.getStride(), result.getStep(), result.getOffset(),
                       result.getGroups(), result.getRowGroups() * split,
                       result.getStrips());
}

OpFoldResult conv::getWorkspaceGroup(OpBuilder &builder, Location loc,
                                     ViewAttr result, Value part,
                                     OpFoldResult group) {
  if (!group)
    return part;
  AffineExpr p, g;
  bindDims(builder.getContext(), p, g);
  return affine::makeComposedFoldedAffineApply(
      builder, loc, p * result.getRowGroups() + g, {OpFoldResult(part), group});
}

//===----------------------------------------------------------------------===//
// Sum
//===----------------------------------------------------------------------===//

static SmallVector<utils::IteratorType> getParallel(size_t rank) {
  return SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel);
}

/// sum over p of parts[p, ...]
static Value emitSum(OpBuilder &builder, Location loc, Value workspace,
                     ArrayRef<int64_t> shape, int64_t split) {
  auto type = cast<RankedTensorType>(workspace.getType());
  SmallVector<int64_t> partsShape = {split};
  llvm::append_range(partsShape, shape);
  SmallVector<ReassociationIndices> dims = {{0, 1}};
  for (int64_t dim = 2; dim <= int64_t(shape.size()); ++dim)
    dims.push_back({dim});
  Value parts = tensor::ExpandShapeOp::create(
      builder, loc, type.clone(partsShape), workspace, dims);
  return emitSumOfParts(builder, loc, parts);
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

namespace {

/// The elementwise operations of the first phase's matrix, on the tensor.
class TensorEpilogue {
public:
  TensorEpilogue(RewriterBase &rewriter, const StridePhases &phases, Value sum)
      : rewriter(rewriter), phases(phases), sum(sum),
        rank(cast<RankedTensorType>(sum.getType()).getRank()) {}

  /// What `matrix` is on the tensor; `map`, which has how it was indexed by the
  /// matrix's loops, receives how it is indexed by the tensor's.
  FailureOr<Value> emit(Value matrix, AffineMap &map);

private:
  FailureOr<Value> emitElementwise(linalg::GenericOp op);

  RewriterBase &rewriter;
  const StridePhases &phases;
  Value sum;
  int64_t rank;
};

} // namespace

/// Whether a row is indexed by the rows of a matrix [..., row, column]: those
/// of an image with its channels first, which are dimension 1 of the tensor.
static bool isIndexedByRows(AffineMap map) {
  if (!map || map.getNumResults() != 1 || map.getNumDims() < 2)
    return false;
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(0));
  return dim && dim.getPosition() + 2 == map.getNumDims();
}

FailureOr<Value> TensorEpilogue::emit(Value matrix, AffineMap &map) {
  int64_t channelDim = isIndexedByRows(map) ? 1 : rank - 1;
  map = rewriter.getMultiDimIdentityMap(rank);
  auto type = dyn_cast<RankedTensorType>(matrix.getType());
  if (!type || type.getRank() == 0) {
    map = AffineMap::get(rank, 0, rewriter.getContext());
    return matrix;
  }
  Operation *op = matrix.getDefiningOp();
  if (op && op == phases.contraction)
    return sum;
  if (auto im2col = dyn_cast_or_null<Im2colOp>(op);
      im2col && im2col.getView() == phases.front().getView())
    return im2col.getSource();
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
      generic && !isRowOfSums(generic))
    return emitElementwise(generic);
  if (type.getRank() == 1) {
    map = AffineMap::get(rank, 0, rewriter.getAffineDimExpr(channelDim));
    return matrix;
  }
  return emitError(matrix.getLoc())
         << "an epilogue operand must be a row of channels or a conv.im2col "
            "through the result's view, but is "
         << type;
}

FailureOr<Value> TensorEpilogue::emitElementwise(linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap &map = maps.emplace_back(op.getMatchingIndexingMap(input));
    FailureOr<Value> onTensor = emit(input->get(), map);
    if (failed(onTensor))
      return failure();
    inputs.push_back(*onTensor);
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  Type element = getElementTypeOrSelf(op.getResultTypes()[0]);
  ShapedType type = phases.front().getDestType();
  Value dest =
      tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(), element);
  auto moved = linalg::GenericOp::create(rewriter, op.getLoc(), dest.getType(),
                                         inputs, dest, maps, getParallel(rank));
  rewriter.cloneRegionBefore(op.getRegion(), moved.getRegion(),
                             moved.getRegion().end());
  return moved.getResult(0);
}

FailureOr<Value> conv::sumParts(RewriterBase &rewriter,
                                const StridePhases &phases, Value workspace,
                                int64_t split) {
  linalg::LinalgOp contraction = phases.contraction;
  Value sum = emitSum(rewriter, contraction.getLoc(), workspace,
                      phases.front().getDestType().getShape(), split);
  AffineMap map;
  return TensorEpilogue(rewriter, phases, sum)
      .emit(phases.front().getValue(), map);
}
