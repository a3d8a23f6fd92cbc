//===- RawWindows.h - windows of tensors with channels first ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Form F6b of windows that TMA loads as they lie and warps of the producer
// transpose (conv/Geometry/RawWindow.h), and what becomes of it in F7.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RAWWINDOWS_H
#define CONV_LIB_TRANSFORMS_RAWWINDOWS_H

#include "IndexMath.h"
#include "RingBarriers.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Geometry/RawWindow.h"

namespace mlir::conv {

/// The boxes of a window in shared memory, one at a time.
class RawWindows {
public:
  /// Of a tensor with channels first that the copy reads. Fails, with an error
  /// on the copy, where TMA cannot load its windows.
  static FailureOr<RawWindows> get(Im2colOp copy,
                                   const convmlir::WindowTile &tile);

  int64_t getBytes() const;
  void createMemory(OpBuilder &builder, Location loc);

  /// One thread of the producer loads the boxes of the window whose first line
  /// is at `coordinates`: batch, extents and channel, as if that were last.
  void emitLoad(IndexMath &math, ValueRange coordinates, Value full,
                Value slot) const;
  /// So many warps of the producer make the window of them.
  void emitTransposition(IndexMath &math, ValueRange coordinates, Value window,
                         int64_t warps) const;

private:
  RawWindows(Im2colOp copy, const convmlir::RawWindow &raw)
      : copy(copy), raw(raw) {}
  Value getStart(IndexMath &math, ValueRange coordinates) const;
  Value getInFront(IndexMath &math, ValueRange coordinates) const;
  SmallVector<int64_t> getBoxShape() const;

  Im2colOp copy;
  convmlir::RawWindow raw;
  std::optional<int64_t> inFront; ///< Where it is the same for all tiles.
  Value source;                   ///< Image rows as one dimension, if flat.
  Value memory;
};

/// Lowers to `ldmatrix` and stores of a thread. Fails, with an error on the
/// operation, where it is not of warps of a producer.
LogicalResult lowerTransposition(TransposeRowsOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RAWWINDOWS_H
