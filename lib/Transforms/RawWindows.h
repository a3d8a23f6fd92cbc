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

/// The boxes of a window in shared memory, one at a time, and the warps of the
/// producer that make the window of them.
class RawWindows {
public:
  /// Of a tensor with channels first that the copy reads. A resident filter is
  /// copied once. Fails, with an error on the copy, where TMA cannot load its
  /// windows.
  static FailureOr<RawWindows>
  get(Im2colOp copy, const convmlir::WindowTile &tile, bool isFilterResident);

  int64_t getBytes() const { return raw.getBytes(getChannels()); }
  /// Lines of a slot of the ring of windows.
  int64_t getSlotLines() const;
  /// Memory of the boxes. Where some lines of the windows in `ring` are never
  /// written, all threads of the kernel, so many, make them zero.
  void createMemory(OpBuilder &builder, Location loc, Value ring,
                    int64_t threads);

  /// What barriers of the boxes need, each of which has one, and those of so
  /// many windows.
  RingShape getShape() const;
  RingShape getWindowShape(int64_t slots) const;

  /// Fills the slot of a window, whose first line is at `coordinates` of the
  /// tensor: batch, extents and channel, as if that were last. `phase` is that
  /// of all boxes.
  void emit(IndexMath &math, ValueRange coordinates, Value slot,
            RingBarriers &windows, RingPosition position, RingBarriers &boxes,
            Value phase) const;
  /// Says that who does that executes a branch.
  void markBranch(Operation *branch) const;

private:
  RawWindows(Im2colOp copy, const convmlir::RawWindow &raw,
             const convmlir::WindowTile &tile)
      : copy(copy), raw(raw), tile(tile) {}
  MemRefType getTileType() const {
    return cast<MemRefType>(const_cast<Im2colOp &>(copy).getDest().getType());
  }
  int64_t getChannels() const { return getTileType().getShape().back(); }
  /// Whether a box is of one row of several.
  bool hasRowDim() const { return !raw.isFlat && tile.spatialRank > 1; }
  int64_t getWarps() const;
  void markLoad(Operation *op) const;
  Value getBox(OpBuilder &builder, Location loc, int64_t box) const;
  void emitLoad(IndexMath &math, ValueRange coordinates, Value box,
                int64_t number, Value full) const;
  void emitZeros(OpBuilder &builder, Location loc, Value ring,
                 int64_t threads) const;
  Value getStart(IndexMath &math, ValueRange coordinates) const;
  Value getInFront(IndexMath &math, ValueRange coordinates) const;

  Im2colOp copy;
  convmlir::RawWindow raw;
  convmlir::WindowTile tile;
  /// Whether the thread that copies filter tiles has no more to do.
  bool isFilterResident = false;
  std::optional<int64_t> inFront; ///< Where it is the same for all tiles.
  Value source;                   ///< Image rows as one dimension, if flat.
  Value memory;
};

/// Lowers to `ldmatrix` and stores of a thread. Fails, with an error on the
/// operation, where it is not of warps of a producer.
LogicalResult lowerTransposition(TransposeRowsOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RAWWINDOWS_H
