//===- PipelineCopies.cpp - F5 to F6 --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gemm-k nest (channel blocks outside, taps inside) is rebuilt as one loop
// over blocks k = 0 .. K-1. Block k lives in slot k mod S of a ring. The loop
// of iteration k waits for block k, starts the copies of block k + S - 1, whose
// slot every thread has left behind at the barrier, and multiplies block k. The
// loop carries the slot and the indices of the block to copy, so that it never
// divides.
//
// Nothing in the loop is conditional: the outermost digit of a block past the
// last one lies past the extents of both matrices, which read zero there,
// without a load; or, where workgroups share gemm-k, in the part of another
// one, whose rows it reads for nothing. Copies stand behind the multiplications
// of the block, so that ptxas can weave the two (docs/Performance.md has both
// orders measured).
//
// With copy=sync threads load and store each block themselves: nothing is on
// its way, and the barrier is all that is waited for.
//
//===----------------------------------------------------------------------===//

#include "conv/Transforms/Ring/Passes.h"

#include "GemmKNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVPIPELINECOPIES
#include "conv/Transforms/Ring/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Waits until at most `pending` groups of copies are on their way.
static void emitWait(OpBuilder &builder, Location loc, ScheduleAttr schedule,
                     int64_t pending) {
  if (schedule.getCopy() == CopyKind::CpAsync)
    NVVM::CpAsyncWaitGroupOp::create(builder, loc,
                                     builder.getI32IntegerAttr(pending));
}

/// The copies before it are a group.
static void emitCommit(OpBuilder &builder, Location loc,
                       ScheduleAttr schedule) {
  if (schedule.getCopy() == CopyKind::CpAsync)
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
}

/// What threads load and store themselves is there at the next barrier, which
/// stands behind the wait for all others.
static void emitCopies(OpBuilder &builder, GemmKNest &nest,
                       BlockBuilder &blocks, ValueRange digits, Value slot) {
  blocks.emitCopies(
      digits, slot, [&](Im2colOp copy, ValueRange offsets, Value dest) {
        bool isAsync = nest.getWay(copy) == OperandCopy::CpAsync;
        Im2colOp::create(builder, copy.getLoc(), TypeRange(), copy.getSource(),
                         offsets, dest, copy.getPhase(), copy.getViews(),
                         isAsync ? builder.getUnitAttr() : UnitAttr());
      });
}

/// What the ring's loop carries: the accumulator, the slot of the block that is
/// multiplied, and the digits of the block that is copied.
struct RingState {
  Value acc, slot;
  SmallVector<Value> digits;

  SmallVector<Value> values() const {
    SmallVector<Value> result = {acc, slot};
    llvm::append_range(result, digits);
    return result;
  }
  static RingState of(ValueRange values) {
    return {values[0], values[1], SmallVector<Value>(values.drop_front(2))};
  }
};

/// One iteration of the ring's loop.
static RingState emitIteration(OpBuilder &builder, GemmKNest &nest,
                               BlockBuilder &blocks, RingState state,
                               ScheduleAttr schedule) {
  Location loc = nest.contraction.getLoc();
  int64_t stages = schedule.getStages();
  emitWait(builder, loc, schedule, stages - 2);
  gpu::BarrierOp::create(builder, loc);
  state.acc = blocks.emitContraction(state.slot, state.acc);
  emitCopies(builder, nest, blocks, state.digits,
             getPreviousSlot(builder, loc, state.slot, stages));
  emitCommit(builder, loc, schedule);
  state.slot = getNextSlot(builder, loc, state.slot, stages);
  state.digits = blocks.emitNext(state.digits);
  return state;
}

static Value buildRing(OpBuilder &builder, GemmKNest &nest,
                       ScheduleAttr schedule, Value init) {
  Location loc = nest.contraction.getLoc();
  int64_t stages = schedule.getStages();
  std::optional<int64_t> constantBlocks = nest.getConstantBlocks();
  Value numBlocks = nest.getBlocks(builder);
  llvm::DenseMap<Value, Value> rings = createRings(builder, nest, stages);
  BlockBuilder blocks(builder, nest, rings);
  RingState state = {init, constant(builder, loc, 0), {}};
  state.digits.assign(nest.loops.size(), constant(builder, loc, 0));
  for (int64_t block = 0; block < stages - 1; ++block) {
    if (!constantBlocks || block < *constantBlocks)
      emitCopies(builder, nest, blocks, state.digits,
                 constant(builder, loc, block));
    emitCommit(builder, loc, schedule);
    state.digits = blocks.emitNext(state.digits);
  }
  auto loop =
      scf::ForOp::create(builder, loc, constant(builder, loc, 0), numBlocks,
                         constant(builder, loc, 1), state.values());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    RingState next =
        emitIteration(builder, nest, blocks,
                      RingState::of(loop.getRegionIterArgs()), schedule);
    scf::YieldOp::create(builder, loc, next.values());
  }
  // Nothing is in flight when the epilogue takes the shared memory over.
  emitWait(builder, loc, schedule, /*pending=*/0);
  return loop.getResult(0);
}

namespace {
struct ConvPipelineCopies
    : public conv::impl::ConvPipelineCopiesBase<ConvPipelineCopies> {
  void runOnOperation() override {
    auto build = [](OpBuilder &builder, GemmKNest &nest,
                    ScheduleAttr schedule) -> FailureOr<Value> {
      return buildRing(builder, nest, schedule, nest.getInit());
    };
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(replaceByRing(kernel, {CopyKind::CpAsync, CopyKind::Sync},
                               build)))
        return signalPassFailure();
  }
};
} // namespace
