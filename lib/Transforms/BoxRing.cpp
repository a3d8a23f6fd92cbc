//===- BoxRing.cpp - what becomes tiles beside their ring -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxRing.h"

#include "BoxSlots.h"
#include "HopperSchedule.h"
#include "ImageRing.h"
#include "RawRowRing.h"
#include "TileChunks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

int64_t conv::getBoxSlotsBytes(int64_t slots, int64_t slotBytes) {
  return llvm::alignTo(slots * slotBytes, kBarrierBytes);
}

int64_t conv::countBoxSlots(ScheduleAttr schedule, int64_t slotBytes) {
  constexpr int64_t most = 4, elementBytes = 2;
  int64_t available = getSharedBytesPerWorkgroup(schedule) -
                      getTileSharedBytes(schedule, elementBytes, elementBytes);
  for (int64_t slots = most; slots >= kFewestBoxSlots; --slots)
    if (getBoxSlotsBytes(slots, slotBytes) <= available)
      return slots;
  return 0;
}

Im2colOp conv::findGatheredImages(ArrayRef<Im2colOp> copies) {
  Im2colOp gathered;
  for (Im2colOp copy : copies) {
    if (!copy.getChannelsFirst())
      continue;
    if (gathered || !copy.readsNeighbours())
      return nullptr;
    gathered = copy;
  }
  return gathered;
}

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

std::unique_ptr<BoxRing> conv::makeBoxRing(OpBuilder &builder, GemmKNest &nest,
                                           ScheduleAttr schedule) {
  if (auto slots = getImageSlots(schedule, nest.copies))
    return std::make_unique<ImageRing>(builder, nest, *slots);
  if (auto slots = getRawRowSlots(schedule, nest.copies))
    return std::make_unique<RawRowRing>(builder, nest, *slots);
  return nullptr;
}
