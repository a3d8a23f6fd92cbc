//===- RowSumHelpers.h - warps that sum what others multiply ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three warps of the producer's warpgroup have nothing to do while one thread
// of the fourth copies. Where the sums of rows of the left operand's tiles are
// wanted, they read the tiles as well: they wait at the same full barriers, and
// release slots as consumers do. Part of F6b.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_RING_ROWSUMHELPERS_H
#define CONV_LIB_TRANSFORMS_RING_ROWSUMHELPERS_H

#include "RingBarriers.h"
#include "RingOperands.h"

namespace mlir::conv {

class RowSumHelpers {
public:
  RowSumHelpers(OpBuilder &builder, GemmKNest &nest, RingBarriers &barriers)
      : builder(builder), nest(nest), barriers(barriers),
        loc(nest.rowSum.getLoc()) {}

  /// Finds the one scatter of the sums; fails with an error.
  LogicalResult match();

  /// The sums with those of the block at `position`, where the condition holds
  /// (null: always). Releases the slot of the block before (null: there is
  /// none).
  Value emitBlock(RingOperands &operands, RingPosition position, Value lastSlot,
                  Value sums, Value condition);
  /// Releases the last slot, and puts the sums where they are scattered.
  void emitEnd(Value lastSlot, Value sums);

private:
  void emitRelease(Value slot);

  OpBuilder &builder;
  GemmKNest &nest;
  RingBarriers &barriers;
  Location loc;
  ScatterOp scatter;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_RING_ROWSUMHELPERS_H
