//===- RingBarriers.h - full and empty barriers of a ring -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the rings of form F6b share (docs/Pipelines.md): a slot has a barrier
// that is full when the bytes of its copies have arrived, and one that is empty
// when every consumer warp has released it. What the producer does is marked.
//
// Workgroups of a cluster that load tiles for each other write to each other's
// slots: a slot is empty when the warps of all of them have released it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_RINGBARRIERS_H
#define CONV_LIB_TRANSFORMS_RING_RINGBARRIERS_H

#include "GemmKNest.h"

namespace mlir::conv {

/// Where an agent is in a ring: `phase`, of type i1, changes whenever the slots
/// begin anew.
struct RingPosition {
  Value slot, phase;
};

/// Marks an operation as the producer's: of one of its threads, or of all of so
/// many warps.
void markProducer(Operation *op);
void markProducers(Operation *op, int64_t warps);
/// Marks it as that of one thread of another warp of the producer.
void markLoader(Operation *op);
/// Says that helpers execute the operation, and all that it contains.
void markHelper(Operation *op);

/// Barriers in shared memory, not initialised yet.
Value createBarrierGroup(OpBuilder &builder, Location loc, int64_t number);

/// Waits until the barrier has completed the phase of this parity.
Operation *emitPhaseWait(OpBuilder &builder, Location loc, Value barriers,
                         Value slot, Value parity);

/// What a ring needs: its slots, and the ranks of the workgroups of the cluster
/// that share its tiles with this one, its own among them; none if there are
/// none to share with. `helpers` are warps that release slots besides the
/// consumers.
struct RingShape {
  int64_t slots;
  SmallVector<Value> peers;
  bool isCopied = true;       ///< By TMA.
  int64_t gatheringWarps = 0; ///< Of the producer, for each slot.
  int64_t gatheringTeams = 1; ///< Sets of such warps, which take slots in turn.
  int64_t helpers = 0;
  bool gathersAsync = false; ///< By asynchronous copies of these warps.
  bool hasLoader = false;    ///< A thread of its own announces what it copies.
  int64_t readers = 0; ///< Warps that release slots in the consumers' place.
};

/// The barriers of one ring. Operations are created at the builder.
class RingBarriers {
public:
  /// One full and one empty barrier for each slot.
  RingBarriers(OpBuilder &builder, Location loc, const RingShape &shape);

  /// Full counts one arrival and bytes where TMA fills the slots, and one
  /// arrival of each warp of the producer where these do, or of each of their
  /// threads by asynchronous copies; empty one arrival of each consumer and
  /// helper, or of those that read in their place.
  void initialize(Value consumers);

  Value getFull() const { return full; }
  /// A thread of the producer waits until the slot is empty, and announces the
  /// bytes that TMA copies, if any.
  void emitFill(RingPosition position, int64_t bytes);
  void emitFill(RingPosition position, Value bytes);
  /// The same for a slot that is filled once.
  void emitOnlyFill(Value slot, int64_t bytes);
  /// Warps of the producer, if they gather, wait until the slot is empty, do
  /// what `body` emits, and arrive.
  void emitGather(RingPosition position, llvm::function_ref<void()> body);
  /// A consumer waits until the slot is full, and fences what is not written by
  /// the asynchronous proxy.
  Operation *emitAwait(RingPosition position);
  /// The same of a slot that is filled once: its phase never changes.
  Operation *emitOnlyAwait(Value slot);
  /// A consumer has read the slot.
  Operation *emitRelease(Value slot);
  RingPosition emitNext(RingPosition position);

private:
  Value constant(int64_t value);
  Operation *emitEmptyWait(RingPosition position);
  /// As the thread's that fills slots.
  void markFill(Operation *op);

  OpBuilder *builder;
  Location loc;
  RingShape shape;
  Value full, empty;
};

/// Barriers of rings with these numbers of slots at the builder, the start of
/// the kernel. One thread initialises them before all others go on: those of
/// the cluster where there are peers, which do not end before each other
/// either.
SmallVector<RingBarriers> createBarriers(OpBuilder &builder, Location loc,
                                         ScheduleAttr schedule,
                                         ArrayRef<RingShape> shapes);

/// The positions in `number` rings at which a tile begins: the first ones, or
/// what the loop over the workgroup's tiles carries. Leaves the builder in
/// front of the nest.
SmallVector<RingPosition> openPositions(OpBuilder &builder, GemmKNest &nest,
                                        size_t number);
/// Whether the tile is the workgroup's first one; null where it has one only.
Value emitIsFirstTile(OpBuilder &builder, GemmKNest &nest);
/// The positions at which a tile ends, for the next one.
void carryPositions(GemmKNest &nest, ArrayRef<RingPosition> ends);

/// Bytes of a tile in shared memory.
int64_t getTileBytes(MemRefType type);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_RINGBARRIERS_H
