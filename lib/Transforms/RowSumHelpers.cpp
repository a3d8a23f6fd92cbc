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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult RowSumHelpers::match() {
  Value sums = nest.getRowSumResult();
  auto op =
      sums.hasOneUse() ? dyn_cast<ScatterOp>(*sums.user_begin()) : ScatterOp();
  if (!op)
    return nest.rowSum.emitOpError(
        "must have sums that are scattered once, and used nowhere else");
  scatter = op;
  auto branch = dyn_cast<scf::IfOp>(scatter->getParentOp());
  if (!branch)
    return success();
  bool isAlone =
      branch.getElseRegion().empty() &&
      llvm::all_of(branch.thenBlock()->without_terminator(),
                   [&](Operation &other) {
                     return &other == scatter || isMemoryEffectFree(&other);
                   });
  if (!isAlone ||
      !DominanceInfo().properlyDominates(branch.getCondition(), nest.getRoot()))
    return nest.rowSum.emitOpError(
        "must have sums that are scattered in a branch of their own, whose "
        "condition is known in front of the gemm-k loops");
  scatter = branch;
  condition = branch.getCondition();
  return success();
}

void RowSumHelpers::emitRelease(Value slot) {
  Value allLanes =
      arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), -1);
  markHelper(NVVM::SyncWarpOp::create(builder, loc, allLanes));
  markHelper(barriers.emitRelease(slot));
}

Value RowSumHelpers::emitBlock(RingOperands &operands, RingPosition position,
                               Value lastSlot, Value sums) {
  markHelper(barriers.emitAwait(position));
  if (lastSlot)
    emitRelease(lastSlot);
  Value isWanted = condition;
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
  markHelper(NVVM::FenceProxyOp::create(
      builder, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(builder.getContext(),
                                 NVVM::SharedSpace::shared_cta)));
  emitRelease(lastSlot);
  nest.getRowSumResult().replaceAllUsesWith(sums);
  markHelper(scatter);
}
