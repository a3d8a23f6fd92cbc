//===- BoxRing.cpp - what becomes tiles beside their ring -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxRing.h"

#include "Support/TileChunks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;

Value conv::getPart(OpBuilder &builder, Value memory, Value index) {
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  offsets.front() = getAsOpFoldResult(index);
  sizes.front() = builder.getIndexAttr(1);
  MemRefType part = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, memory.getLoc(), part, memory,
                                   offsets, sizes, strides);
}

Value conv::getImages(OpBuilder &builder, Im2colOp copy) {
  Value source = copy.getSource();
  int64_t rank = cast<MemRefType>(source.getType()).getRank();
  if (rank == 3)
    return source;
  OpBuilder::InsertionGuard guard(builder);
  setInsertionPointAfter(builder, source);
  SmallVector<ReassociationIndices> dims = {
      {0}, {1}, llvm::to_vector(llvm::seq<int64_t>(2, rank))};
  return memref::CollapseShapeOp::create(builder, copy.getLoc(), source, dims);
}

Im2colOp BoxRing::getGathered() const {
  return *llvm::find_if(nest.copies,
                        [](Im2colOp copy) { return copy.getChannelsFirst(); });
}

void BoxRing::createRing(ArrayRef<int64_t> slot) {
  auto tile = cast<MemRefType>(getGathered().getDest().getType());
  ring = conv::createRing(builder, nest.contraction.getLoc(),
                          MemRefType::get(slot, tile.getElementType(),
                                          AffineMap(), tile.getMemorySpace()),
                          countSlots());
}
