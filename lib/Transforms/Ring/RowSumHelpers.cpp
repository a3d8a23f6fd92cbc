//===- RowSumHelpers.cpp - warps that sum what others multiply ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot is released when the next block has landed, as by consumers that load
// for themselves: what was loaded is added in front of that wait, so all loads
// are over. The last one is released behind a fence.
//
//===----------------------------------------------------------------------===//

#include "RowSumHelpers.h"

#include "Roles/Synchronization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult RowSumHelpers::match() {
  Value sums = nest.getRowSumResult();
  if (sums.hasOneUse())
    scatter = dyn_cast<ScatterOp>(*sums.user_begin());
  if (scatter && scatter->getBlock() == nest.getRoot()->getBlock())
    return success();
  return nest.rowSum.emitOpError("must have sums that are scattered once, in "
                                 "each tile, and used nowhere else");
}

void RowSumHelpers::emitRelease(Value slot) {
  markHelper(emitWarpSync(builder, loc));
  markHelper(barriers.emitRelease(slot));
}

Value RowSumHelpers::emitBlock(RingOperands &operands, RingPosition position,
                               Value lastSlot, Value sums, Value isWanted) {
  markHelper(barriers.emitAwait(position));
  if (lastSlot)
    emitRelease(lastSlot);
  if (!isWanted)
    isWanted = arith::ConstantIntOp::create(builder, loc, true, 1);
  auto branch = scf::IfOp::create(builder, loc, sums.getType(), isWanted,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc,
                         operands.emitRowSum(position.slot, sums));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, sums);
  }
  markHelper(branch);
  return branch.getResult(0);
}

void RowSumHelpers::emitEnd(Value lastSlot, Value sums) {
  markHelper(emitProxyFence(builder, loc));
  emitRelease(lastSlot);
  nest.getRowSumResult().replaceAllUsesWith(sums);
  markHelper(scatter);
}
