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

#ifndef CONV_LIB_TRANSFORMS_RING_RAWROWRING_H
#define CONV_LIB_TRANSFORMS_RING_RAWROWRING_H

#include "BoxRing.h"
#include "Support/IndexMath.h"
#include "conv/Schedule/Forms/RawRowSlots.h"

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

/// Boxes whose lines are skewed.
class RawRowRing : public BoxRing {
public:
  RawRowRing(OpBuilder &builder, GemmKNest &nest, const RawRowSlots &slots)
      : BoxRing(builder, nest), slots(slots) {}

  int64_t countWarps() const override { return 2; }
  void createMemory() override;
  int64_t countSlots() const override { return slots.slots; }
  int64_t countParts(Im2colOp copy) const override;
  void emitLoads(Im2colOp copy, ValueRange offsets, int64_t part,
                 RingBarriers &barriers, RingPosition position) override;
  void emitPart(Im2colOp copy, ValueRange offsets, int64_t part, Value tile,
                Value slot) override;

private:
  RawRowSlots slots; ///< Of a source [image, channel, position of the image].
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_RAWROWRING_H
