//===- ImageRing.cpp - whole images beside a ring of tiles ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output: `engine.load_box … dense` of the channels of a block, of all images
// of a tile, and `engine.join_images`, which makes the tile.
//
//===----------------------------------------------------------------------===//

#include "ImageRing.h"

#include "Support/IndexMath.h"
#include "Support/TileChunks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;

/// [image, line, element] of [image, channel, position].
static Value getRuns(OpBuilder &builder, Location loc, Value images,
                     int64_t line) {
  ArrayRef<int64_t> shape = cast<MemRefType>(images.getType()).getShape();
  SmallVector<ReassociationIndices> dims = {{0}, {1, 2}};
  Value runs = memref::CollapseShapeOp::create(builder, loc, images, dims);
  SmallVector<int64_t> lines = {shape[0], shape[1] * shape[2] / line, line};
  return memref::ExpandShapeOp::create(builder, loc, lines, runs, dims);
}

void ImageRing::createMemory() {
  Im2colOp copy = getGathered();
  Value images = getImages(builder, copy);
  OpBuilder behind(builder.getContext());
  setInsertionPointAfter(behind, images);
  source = getRuns(behind, copy.getLoc(), images, slots.line);
  createRing({slots.images, slots.channels, slots.positions});
}

/// Images past the last one become zero.
void ImageRing::emitLoads(Im2colOp copy, ValueRange offsets, int64_t,
                          RingBarriers &barriers, RingPosition position) {
  Location loc = copy.getLoc();
  IndexMath math(builder, loc);
  barriers.emitFill(position, slots.getSlotBytes());
  Value image = math.div(offsets[copy.getView().getRowDim()], slots.positions);
  Value line =
      math.mul(math.div(offsets.back(), slots.channels), slots.getLines());
  Value images = getPart(builder, ring, position.slot);
  Value box = getRuns(builder, loc, images, slots.line);
  markProducer(LoadBoxOp::create(builder, loc, source,
                                 ValueRange{image, line, math.constant(0)}, box,
                                 barriers.getFull(), position.slot,
                                 /*to_tf32=*/false, /*dense=*/true,
                                 /*skewed=*/false));
}

void ImageRing::emitPart(Im2colOp copy, ValueRange, int64_t, Value tile,
                         Value slot) {
  markProducers(JoinImagesOp::create(builder, copy.getLoc(),
                                     getPart(builder, ring, slot), tile),
                countWarps());
}
