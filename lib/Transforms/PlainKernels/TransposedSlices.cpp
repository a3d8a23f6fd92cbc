//===- TransposedSlices.cpp - slices that are transposed ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposedSlices.h"
#include "PlainKernels.h"
#include "TransposedLoops.h"
#include "conv/Dialect/Conv/IR/Transposition.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

/// The dimensions of `shape` that each extent of `joined` is made of; nothing
/// where some are parts of several.
static std::optional<SmallVector<ReassociationIndices>>
getParts(ArrayRef<int64_t> shape, ArrayRef<int64_t> joined) {
  SmallVector<ReassociationIndices> parts;
  size_t dim = 0;
  for (int64_t extent : joined) {
    ReassociationIndices part;
    for (int64_t number = 1; number < extent && dim < shape.size(); ++dim) {
      number *= shape[dim];
      part.push_back(dim);
    }
    parts.push_back(std::move(part));
  }
  // What is left has one position each.
  for (; dim < shape.size() && !parts.empty(); ++dim)
    parts.back().push_back(dim);
  for (auto [extent, part] : llvm::zip_equal(joined, parts)) {
    int64_t number = 1;
    for (int64_t i : part)
      number *= shape[i];
    if (number != extent)
      return std::nullopt;
  }
  return parts;
}

void conv::readSliceInPlace(RewriterBase &rewriter,
                            linalg::GenericOp transposition) {
  if (!isOrderedMove(transposition))
    return;
  AffineMap read = transposition.getIndexingMapsArray().front();
  linalg::GenericOp slice =
      read.isPermutation() ? findMovedSlice(transposition.getInputs().front())
                           : linalg::GenericOp();
  if (!slice)
    return;
  auto sliced =
      cast<RankedTensorType>(transposition.getInputs().front().getType());
  auto kept = cast<RankedTensorType>(slice->getResult(0).getType());
  auto whole = cast<RankedTensorType>(slice.getInputs().front().getType());
  auto parts = getParts(sliced.getShape(), kept.getShape());
  if (!parts)
    return;
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> indices;
  AffineMap sliceMap = slice.getIndexingMapsArray().front();
  int64_t next = 0;
  for (auto [extent, index] :
       llvm::zip_equal(whole.getShape(), sliceMap.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(index);
    if (!loop) {
      shape.push_back(extent);
      indices.push_back(index);
      continue;
    }
    if (loop.getPosition() != next++)
      return;
    for (int64_t dim : (*parts)[loop.getPosition()]) {
      shape.push_back(sliced.getDimSize(dim));
      indices.push_back(read.getResult(dim));
    }
  }
  Location loc = transposition.getLoc();
  rewriter.setInsertionPoint(transposition);
  Value source = emitReshape(rewriter, loc, slice.getInputs().front(), shape);
  SmallVector<AffineMap> maps = transposition.getIndexingMapsArray();
  maps.front() = AffineMap::get(transposition.getNumLoops(), 0, indices,
                                rewriter.getContext());
  rewriter.modifyOpInPlace(transposition, [&] {
    transposition.getInputsMutable().assign(source);
    transposition.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}
