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

#ifndef CONV_LIB_TRANSFORMS_RING_RAWWINDOWS_H
#define CONV_LIB_TRANSFORMS_RING_RAWWINDOWS_H

#include "RingBarriers.h"
#include "Support/IndexMath.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/RawWindow.h"

namespace mlir::conv {

/// The boxes of a window in shared memory, one at a time, and the warps of the
/// producer that make the window of them.
class RawWindows {
public:
  /// Of a tensor with channels first that the copy reads, boxes of so many at a
  /// time. `hasOneThread`: what else TMA copies lets the thread that does it
  /// run ahead, as a resident filter does. Fails, with an error on the copy,
  /// where TMA cannot load its windows.
  static FailureOr<RawWindows> get(Im2colOp copy,
                                   const convmlir::WindowTile &tile,
                                   int64_t slots, bool hasOneThread);

  int64_t getBytes() const { return slots * raw.getBytes(getChannels()); }
  /// Lines of a slot of the ring of windows.
  int64_t getSlotLines() const;
  /// Of the producer, that transpose.
  int64_t getWarps() const;
  /// Memory of the boxes. Where some lines of the windows in `ring` are never
  /// written, all threads of the kernel, so many, make them zero.
  void createMemory(OpBuilder &builder, Location loc, Value ring,
                    int64_t threads);

  /// What barriers of the boxes need, each of which has one, and those of so
  /// many windows. A ring of barriers may have others in front, of the boxes of
  /// another tensor.
  RingShape getShape() const;
  void setFirstBarrier(int64_t first) { firstBarrier = first; }
  RingShape getWindowShape(int64_t slots) const;

  /// Fills the slot of a window, whose first line is at `coordinates` of the
  /// tensor: batch, extents and channel, as if that were last. `box` is the
  /// place of its boxes; the slot may be null where there is one.
  void emit(IndexMath &math, ValueRange coordinates, Value slot,
            RingBarriers &windows, RingPosition position, RingBarriers &boxes,
            RingPosition box) const;
  /// Its two parts: the loads of the boxes, and what is done when the slot is
  /// empty.
  void emitLoads(IndexMath &math, ValueRange coordinates, RingBarriers &boxes,
                 RingPosition box) const;
  void emitTransposition(IndexMath &math, ValueRange coordinates, Value slot,
                         RingBarriers &boxes, RingPosition box) const;
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
  void markLoad(Operation *op) const;
  Value createBoxes(OpBuilder &builder, Location loc, int64_t number,
                    int64_t positions) const;
  Value getBox(IndexMath &math, RingPosition place, int64_t box) const;
  Value getNumber(IndexMath &math, RingPosition place, int64_t box) const;
  void emitLoad(IndexMath &math, ValueRange coordinates, Value box,
                int64_t number, Value full, Value barrier) const;
  void emitZeros(OpBuilder &builder, Location loc, Value ring,
                 int64_t threads) const;
  Value getStart(IndexMath &math, ValueRange coordinates) const;
  Value getInFront(IndexMath &math, ValueRange coordinates) const;

  Im2colOp copy;
  convmlir::RawWindow raw;
  convmlir::WindowTile tile;
  /// Whether the thread that copies all else loads the boxes, too.
  bool hasOneThread = false;
  int64_t slots = 1; ///< Windows whose boxes there are.
  int64_t firstBarrier = 0;
  std::optional<int64_t> inFront; ///< Where it is the same for all tiles.
  Value source;                   ///< Image rows as one dimension, if flat.
  Value memory, lastMemory;       ///< Of boxes, and of the last ones of runs.
};

/// Lowers to `ldmatrix` and stores of a thread. Fails, with an error on the
/// operation, where it is not of warps of a producer.
LogicalResult lowerTransposition(TransposeRowsOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_RAWWINDOWS_H
