//===- BoxRing.h - what becomes tiles beside their ring ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles [channel, position] of images with their channels first: form F6b, and
// what becomes of it in F7. TMA copies what holds a tile into a slot of a ring
// of its own, and warps of the producer make the tile of it: of boxes whose
// lines are skewed (RawRowRing.cpp), or of whole images (ImageRing.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_BOXRING_H
#define CONV_LIB_TRANSFORMS_RING_BOXRING_H

#include "RingBarriers.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Schedule/Shape/KernelThreads.h"

namespace mlir::conv {

/// The boxes of a nest's copy in shared memory.
class BoxRing {
public:
  BoxRing(OpBuilder &builder, GemmKNest &nest) : builder(builder), nest(nest) {}
  virtual ~BoxRing() = default;

  /// Warps that make tiles of them. Of the others of the producer, one copies
  /// the filter, and the next one, if there is one, boxes.
  virtual int64_t countWarps() const = 0;
  bool hasLoader() const { return countWarps() + 1 < kWarpsPerWarpgroup; }
  virtual void createMemory() = 0;
  virtual int64_t countSlots() const = 0;
  /// Slots that the tile of a copy takes one after the other.
  virtual int64_t countParts(Im2colOp copy) const = 0;
  /// Loads the boxes of a part of the tile that a copy fills at `offsets`.
  virtual void emitLoads(Im2colOp copy, ValueRange offsets, int64_t part,
                         RingBarriers &barriers, RingPosition position) = 0;
  /// Makes that part of `tile`, a whole slot of the ring of tiles.
  virtual void emitPart(Im2colOp copy, ValueRange offsets, int64_t part,
                        Value tile, Value slot) = 0;

  RingShape getShape() const {
    RingShape shape = {countSlots(), {}};
    shape.hasLoader = hasLoader();
    shape.readers = countWarps();
    return shape;
  }

protected:
  /// The one copy of the nest that is gathered.
  Im2colOp getGathered() const;
  /// Allocates the ring, of slots of this shape.
  void createRing(ArrayRef<int64_t> slot);

  OpBuilder &builder;
  GemmKNest &nest;
  Value source; ///< What is gathered, as boxes are cut out of it.
  Value ring;
};

/// What is at `index` of the first dimension of `memory`.
Value getPart(OpBuilder &builder, Value memory, Value index);
/// The source of a copy as [image, channel, position]: positions of an image
/// are one dimension. Made where the source is.
Value getImages(OpBuilder &builder, Im2colOp copy);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_BOXRING_H
