//===- ImageRing.h - whole images beside a ring of tiles --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_IMAGERING_H
#define CONV_LIB_TRANSFORMS_RING_IMAGERING_H

#include "BoxRing.h"
#include "conv/Schedule/Forms/ImageSlots.h"

namespace mlir::conv {

/// Whole images, of the channels of a block (ImageSlots.h).
class ImageRing : public BoxRing {
public:
  ImageRing(OpBuilder &builder, GemmKNest &nest, const ImageSlots &slots)
      : BoxRing(builder, nest), slots(slots) {}

  /// Two were busy for 85 % of the time, while products waited for them.
  int64_t countWarps() const override { return 3; }
  void createMemory() override;
  int64_t countSlots() const override { return slots.slots; }
  int64_t countParts(Im2colOp) const override { return 1; }
  void emitLoads(Im2colOp copy, ValueRange offsets, int64_t part,
                 RingBarriers &barriers, RingPosition position) override;
  void emitPart(Im2colOp copy, ValueRange offsets, int64_t part, Value tile,
                Value slot) override;

private:
  ImageSlots slots; ///< Of a source [image, line, element].
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_IMAGERING_H
