//===- RingOperands.h - what the slots of a ring hold -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-pipeline-barriers builds the ring; what is copied into its slots and how
// a contraction reads them differs. Tiles of matrices, one for each operand,
// are the plain case. Where all tiles of the result have the same right operand
// (the filter, where one tile has all of gemm-n) and all its blocks have room,
// these last: only the left one goes through the ring. Where a tile of the
// result has several taps (wgrad), a block is a box of positions, and the taps
// read one window of the input. Where that has its channels first and dy is
// K-major, the window comes through boxes of positions as they lie, which have
// barriers of their own.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_RINGOPERANDS_H
#define CONV_LIB_TRANSFORMS_RING_RINGOPERANDS_H

#include "RingBarriers.h"
#include "Support/IndexMath.h"

#include <memory>

namespace mlir::conv {

/// The operands of a block, while the ring is built.
class RingOperands {
public:
  virtual ~RingOperands() = default;
  /// Slots of the ring.
  virtual int64_t getSlots(ScheduleAttr schedule) const {
    return schedule.getStages();
  }
  /// Slots of a ring that the schedule's stages are not those of: as the plan
  /// says, or, while it is made, as many as there is room for. Nothing where
  /// there is no such ring.
  virtual std::optional<int64_t> countOwnSlots(ScheduleAttr) const {
    return std::nullopt;
  }
  /// Allocates the memory of a ring with so many slots.
  virtual void createMemory(int64_t slots) = 0;
  /// At the start of the kernel, finds out which tiles the workgroup and others
  /// of its cluster load together. Returns the ranks of these workgroups, its
  /// own among them; nothing if it loads all by itself.
  virtual SmallVector<Value> findPeers(Location, ScheduleAttr) { return {}; }
  /// Bytes that the copies of a block by TMA into a slot count.
  virtual int64_t getBytes() const = 0;
  /// The same of one block, where panels past an operand are not copied.
  virtual Value emitBytes(IndexMath &math, ValueRange) {
    return math.constant(getBytes());
  }
  /// Blocks of an operand that is the same in all tiles of the result. They
  /// stay in memory of their own, which the first tile's producer fills; 0 if
  /// there is no such operand. And the bytes of each.
  virtual int64_t getLastingBlocks() const { return 0; }
  virtual int64_t getLastingBytes() const { return 0; }
  virtual void emitLastingLoad(ValueRange, Value, Value) {}
  /// Whether warps of the producer gather something of a block, and what they
  /// do for one, each of `warps` of them.
  virtual bool isGathered() const { return false; }
  virtual void emitGathers(ValueRange, Value, int64_t) {}
  /// Whether they do so by asynchronous copies.
  virtual bool gathersAsync() const { return false; }
  /// A ring of boxes that TMA loads and warps of the producer make a part of a
  /// block of, once the slot is empty, instead of gathering it
  /// (conv/Geometry/RawWindow.h, RawRows.h), with so many slots, of which a
  /// block takes some one after the other.
  virtual std::optional<RingShape> getBoxRing() const { return std::nullopt; }
  virtual int64_t getBoxSlots() const { return 1; }
  virtual int64_t getBoxSlotsOfBlock() const { return 1; }
  virtual void emitBoxLoads(ValueRange, RingBarriers &, RingPosition) {}
  virtual void emitTransposition(ValueRange, Value, RingBarriers &,
                                 RingPosition) {}
  /// The producer's copies of a block by TMA into a slot, counted by its
  /// barrier among `full`.
  virtual void emitLoads(ValueRange digits, Value slot, Value full) = 0;
  /// Whether threads read what products take from registers.
  virtual bool isReadByThreads() const { return false; }
  /// The products with which a block begins, where these are apart: when they
  /// are over or the last ones on their way, those of the block before are
  /// over. Null where they are not apart.
  virtual Value emitFirstProducts(Value, Value) { return nullptr; }
  /// What `acc` is after the block in a slot, or after what is left of it,
  /// whose lasting operand is that of `block`, if there is one.
  virtual Value emitContraction(Value slot, Value acc, Value block) = 0;
  /// The same of sums of rows of the left operand.
  virtual Value emitRowSum(Value slot, Value sums) = 0;
};

/// What the slots of a nest hold that has no ring of windows (WindowRing.h).
FailureOr<std::unique_ptr<RingOperands>>
makeRingOperands(OpBuilder &builder, GemmKNest &nest, ScheduleAttr schedule);

/// One tile for each operand, by `engine.load_tile`. An error on the
/// contraction that has no boxes where its plan says so.
FailureOr<std::unique_ptr<RingOperands>>
makeTileOperands(OpBuilder &builder, GemmKNest &nest, ScheduleAttr schedule);

/// Whether the nest's contraction has several taps of its right operand at
/// once.
bool hasTapsOfWindow(GemmKNest &nest);

/// A box of positions for the left operand and its window for the right one, by
/// `engine.load_box`. An error on the copy whose rows are no boxes.
FailureOr<std::unique_ptr<RingOperands>>
makeWindowOperands(OpBuilder &builder, GemmKNest &nest, ScheduleAttr schedule);

/// A tile of dy, K-major, and boxes of images with their channels first, by
/// `engine.load_box`. An error on the copy that has no such boxes.
FailureOr<std::unique_ptr<RingOperands>>
makeImageTapOperands(OpBuilder &builder, GemmKNest &nest,
                     ScheduleAttr schedule);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_RINGOPERANDS_H
