//===- WarpTeams.cpp - consumers that take tiles in turn ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One team multiplies while another stores. What a team does not do itself it
// goes through without effects, so that it knows the slots of its own tiles;
// the numbers of blocks need not be equal. A team begins when the one before
// has met the last slot of its tile: the phase of a barrier tells only two uses
// of a slot apart.
//
//===----------------------------------------------------------------------===//

#include "WarpTeams.h"
#include "WarpRoles.h"
#include "Warpgroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::conv;

/// Moves the body of `loop` after `condition` into a branch that is taken if
/// that is true, and a copy of it without effects into the other one: that goes
/// through the slots of a tile without using them.
static scf::IfOp divide(scf::ForOp loop, Value condition) {
  Operation *terminator = loop.getBody()->getTerminator();
  SmallVector<Operation *> ops;
  for (Operation *op = condition.getDefiningOp()->getNextNode();
       op != terminator; op = op->getNextNode())
    ops.push_back(op);
  OpBuilder builder(terminator);
  auto branch = scf::IfOp::create(builder, loop.getLoc(),
                                  terminator->getOperandTypes(), condition,
                                  /*withElseRegion=*/true);
  auto fill = [&](Block *block) {
    builder.setInsertionPointToEnd(block);
    IRMapping mapping;
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    auto results =
        llvm::map_to_vector(terminator->getOperands(), [&](Value value) {
          return mapping.lookupOrDefault(value);
        });
    return scf::YieldOp::create(builder, loop.getLoc(), results);
  };
  fill(branch.thenBlock());
  scf::YieldOp skipped = fill(branch.elseBlock());
  keepRole(
      *branch.elseBlock(), [](Operation *) { return false; },
      skipped.getOperands());
  terminator->setOperands(branch.getResults());
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return branch;
}

/// The last operation of a block that waits for a slot.
static Operation *findLastWait(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    WalkResult found = op.walk(
        [](nvgpu::MBarrierTryWaitParityOp) { return WalkResult::interrupt(); });
    if (found.wasInterrupted())
      return &op;
  }
  return nullptr;
}

namespace {
class Turns {
public:
  Turns(scf::ForOp tiles, Value team, int64_t teams)
      : tiles(tiles), team(team), teams(teams), loc(tiles.getLoc()),
        builder(tiles) {}

  void take();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }
  /// The number after `index`, of `teams`.
  Value emitNext(Value index);
  void beginWithFirst();

  scf::ForOp tiles;
  Value team;
  int64_t teams;
  Location loc;
  IRRewriter builder;
};
} // namespace

Value Turns::emitNext(Value index) {
  Value next = arith::AddIOp::create(builder, loc, index, constant(1));
  return arith::SelectOp::create(builder, loc, isEqual(next, constant(teams)),
                                 constant(0), next);
}

/// As if the last team had just had a turn.
void Turns::beginWithFirst() {
  OpBuilder::InsertionGuard guard(builder);
  auto branch =
      scf::IfOp::create(builder, loc, isEqual(team, constant(teams - 1)),
                        /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitTurnArrival(builder, loc, emitTurnBarrier(builder, loc, constant(0)));
}

void Turns::take() {
  beginWithFirst();
  Value ownBarrier = emitTurnBarrier(builder, loc, team);
  Value nextBarrier = emitTurnBarrier(builder, loc, emitNext(team));
  Value turn = constant(0);
  auto loop = cast<scf::ForOp>(*tiles.replaceWithAdditionalYields(
      builder, turn, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>{arguments.front()};
      }));
  builder.setInsertionPointToStart(loop.getBody());
  turn = loop.getRegionIterArgs().back();
  Value next = emitNext(turn);
  loop.getBody()->getTerminator()->setOperand(loop.getNumRegionIterArgs() - 1,
                                              next);
  scf::IfOp branch = divide(loop, isEqual(turn, team));
  Block &own = *branch.thenBlock();
  builder.setInsertionPointAfter(findLastWait(own));
  emitTurnArrival(builder, loc, nextBarrier);
  builder.setInsertionPointToStart(&own);
  emitTurnWait(builder, loc, ownBarrier);
}

LogicalResult mlir::conv::takeTurns(Block &consumers, Value team,
                                    int64_t teams) {
  for (auto loop : consumers.getOps<scf::ForOp>())
    if (findLastWait(*loop.getBody())) {
      Turns(loop, team, teams).take();
      return success();
    }
  return consumers.getParentOp()->emitOpError(
      "has no loop over tiles that teams could take in turn");
}
