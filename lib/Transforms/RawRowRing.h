//===- RawRowRing.h - boxes of images beside a ring of tiles ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles [channel, position] of boxes of images (RawRowSlots.h): form F6b, and
// what becomes of it in F7.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RAWROWRING_H
#define CONV_LIB_TRANSFORMS_RAWROWRING_H

#include "GemmKNest.h"
#include "IndexMath.h"
#include "RawRowSlots.h"
#include "RingBarriers.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"

namespace mlir::conv {

/// Where the boxes and positions of a tile are whose first row has this
/// position in its image.
class RawRowPlaces {
public:
  RawRowPlaces(IndexMath &math, const convmlir::RawRows &raw, Value first);

  /// Of boxes of the tile.
  Value getNumber(IndexMath &math) const;
  /// Of one of them the image, counted from the first, and the coordinate
  /// there.
  std::pair<Value, Value> getBox(IndexMath &math, int64_t number) const;
  /// The box and the element of its line that hold a row, counted from the
  /// beginning of the first image, of a channel with so many elements in front.
  std::pair<Value, Value> getPosition(IndexMath &math, Value row,
                                      Value skew) const;

private:
  Value countBoxes(IndexMath &math, Value positions) const;

  convmlir::RawRows raw;
  Value first, start;
  Value ofFirst; ///< Boxes of the first image.
};

/// The boxes of a nest's copies in shared memory.
class RawRowRing {
public:
  RawRowRing(OpBuilder &builder, GemmKNest &nest, const RawRowSlots &slots)
      : builder(builder), nest(nest), slots(slots) {}

  /// Warps that make tiles of them. Of the other two of the producer, one
  /// copies the filter, and one boxes.
  static constexpr int64_t kWarps = 2;

  void createMemory();
  RingShape getShape() const;
  /// Slots that the tile of a copy takes one after the other.
  int64_t countParts(Im2colOp copy) const;
  /// Loads the boxes of a part of the tile that a copy fills at `offsets`.
  void emitLoads(Im2colOp copy, ValueRange offsets, int64_t part,
                 RingBarriers &barriers, RingPosition position);
  /// Makes that part.
  void emitPart(Im2colOp copy, ValueRange offsets, int64_t part, Value dest,
                Value slot);

private:
  Value getPart(Value memory, Value index);

  OpBuilder &builder;
  GemmKNest &nest;
  RawRowSlots slots;
  /// Of a copy, as [image, channel, position of the image].
  llvm::DenseMap<Operation *, Value> sources;
  Value ring;
};

/// Lowers to loads and stores of a thread. Fails, with an error on the
/// operation, where it is not of warps of a producer.
LogicalResult lowerDeskewing(DeskewRowsOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RAWROWRING_H
