//===- FoldedTiles.cpp - folded taps that tile an image -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldedTiles.h"
#include "conv/Dialect/Conv/IR/Transposition.h"
#include "conv/Geometry/FoldedTaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;

bool conv::hasFoldedTiles(const ConvGeometry &geometry,
                          const ConvGeometry &folded, ArrayRef<int64_t> fold) {
  if (geometry.flip ||
      convmlir::countFoldedChannels(geometry, fold.vec()) != folded.c)
    return false;
  for (int d = 0; d < geometry.spatialRank; ++d) {
    int64_t taps = geometry.filter[d];
    if (fold[d] != taps || geometry.stride[d] != taps ||
        (taps > 1 && geometry.dilation[d] != 1) || geometry.padLow[d] != 0 ||
        geometry.input[d] != folded.input[d] * taps)
      return false;
  }
  return true;
}

Value conv::reshapeElements(OpBuilder &builder, Location loc, Value source,
                            ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(source.getType());
  auto all = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector(llvm::seq<int64_t>(rank))};
  };
  Value row = tensor::CollapseShapeOp::create(builder, loc, source,
                                              all(type.getRank()));
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), row,
                                       all(shape.size()));
}

/// N, H, W, C of extents and channels.
static SmallVector<int64_t> getShape(const ConvGeometry &geometry) {
  SmallVector<int64_t> shape = {geometry.n};
  shape.append(geometry.input.begin(),
               geometry.input.begin() + geometry.spatialRank);
  shape.push_back(geometry.c);
  return shape;
}

Value conv::foldTiles(OpBuilder &builder, Location loc, Value input,
                      const ConvGeometry &geometry,
                      const ConvGeometry &folded) {
  int64_t rank = geometry.spatialRank;
  SmallVector<int64_t> parts = {geometry.n}, permutation = {0};
  for (int64_t d = 0; d < rank; ++d)
    parts.append({folded.input[d], geometry.filter[d]});
  parts.push_back(geometry.c);
  for (int64_t first : {1, 2})
    for (int64_t d = 0; d < rank; ++d)
      permutation.push_back(first + 2 * d);
  permutation.push_back(1 + 2 * rank);
  Value tiles = reshapeElements(builder, loc, input, parts);
  return reshapeElements(builder, loc,
                         emitTransposition(builder, loc, tiles, permutation),
                         getShape(folded));
}

Value conv::unfoldTiles(OpBuilder &builder, Location loc, Value input,
                        const ConvGeometry &geometry,
                        const ConvGeometry &folded) {
  int64_t rank = geometry.spatialRank;
  SmallVector<int64_t> parts = getShape(folded), permutation = {0};
  parts.pop_back();
  parts.append(geometry.filter.begin(), geometry.filter.begin() + rank);
  parts.push_back(geometry.c);
  for (int64_t d = 0; d < rank; ++d)
    permutation.append({1 + d, 1 + rank + d});
  permutation.push_back(1 + 2 * rank);
  Value tiles = reshapeElements(builder, loc, input, parts);
  return reshapeElements(builder, loc,
                         emitTransposition(builder, loc, tiles, permutation),
                         getShape(geometry));
}
