//===- PipelineBarriers.cpp - F5 to F6b -----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-pipeline-barriers. The gemm-k nest of a kernel whose copies TMA makes
// becomes one loop over blocks and a ring whose slots have a full and an empty
// barrier each. The first block is peeled off. A slot is released one block
// after its contraction, which may still run until the next one has started.
// Slot and phase go on from one tile of the workgroup to its next.
//
//===----------------------------------------------------------------------===//

#include "GemmKNest.h"
#include "Warpgroups.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Transforms/HopperPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVPIPELINEBARRIERS
#include "conv/Transforms/HopperPasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Where an agent is in the ring: `phase`, of type i1, changes whenever the
/// slots begin anew.
struct Position {
  Value slot, phase;
};

/// What the loop over blocks carries.
struct BlockState {
  Value acc;
  Position position;
  Value lastSlot; ///< Of the block before.
  SmallVector<Value> digits;

  SmallVector<Value> values() const {
    SmallVector<Value> result = {acc, position.slot, position.phase, lastSlot};
    llvm::append_range(result, digits);
    return result;
  }
  static BlockState of(ValueRange values) {
    return {values[0],
            {values[1], values[2]},
            values[3],
            SmallVector<Value>(values.drop_front(4))};
  }
};

class BarrierRing {
public:
  BarrierRing(gpu::GPUFuncOp kernel, GemmKNest &nest, ScheduleAttr schedule)
      : kernel(kernel), nest(nest), schedule(schedule),
        stages(schedule.getStages()), loc(nest.contraction.getLoc()),
        builder(kernel.getContext()) {}

  /// Returns what the nest computed.
  Value build();

private:
  void createMemory();
  Position getStart();
  void carryOn(Position start, Position end);
  void clearIfEmpty(Value &acc);
  BlockState emitBlocks(Position start);
  void emitProducer(BlockBuilder &blocks, const BlockState &state);
  void emitConsumer(BlockBuilder &blocks, BlockState &state);
  void emitRelease(Value slot);
  void emitNext(BlockBuilder &blocks, BlockState &state);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value flag(bool value) {
    return arith::ConstantIntOp::create(builder, loc, value, 1);
  }
  /// Marks an operation as the producer's.
  void markProducer(Operation *op) {
    op->setAttr(kProducerAttrName, builder.getUnitAttr());
  }

  gpu::GPUFuncOp kernel;
  GemmKNest &nest;
  ScheduleAttr schedule;
  int64_t stages;
  Location loc;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> rings;
  Value full, empty; ///< One barrier for each slot.
};

} // namespace

/// Rings and barriers at the start of the kernel; one thread initialises them.
void BarrierRing::createMemory() {
  builder.setInsertionPointToStart(&kernel.getBody().front());
  rings = createRings(builder, nest, stages);
  auto space = gpu::AddressSpaceAttr::get(kernel.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto group =
      nvgpu::MBarrierGroupType::get(kernel.getContext(), space, stages);
  full = nvgpu::MBarrierCreateOp::create(builder, loc, group);
  empty = nvgpu::MBarrierCreateOp::create(builder, loc, group);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        thread, constant(0));
  auto branch = scf::IfOp::create(builder, loc, isFirst,
                                  /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value consumers = constant(getNumConsumerWarps(schedule));
    for (int64_t slot = 0; slot < stages; ++slot) {
      nvgpu::MBarrierInitOp::create(builder, loc, full, constant(1),
                                    constant(slot), Value());
      nvgpu::MBarrierInitOp::create(builder, loc, empty, consumers,
                                    constant(slot), Value());
    }
    NVVM::FenceMbarrierInitOp::create(builder, loc);
  }
  gpu::BarrierOp::create(builder, loc);
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// Waits until the barrier has completed the phase of this parity.
static void emitWait(OpBuilder &builder, Location loc, Value barriers,
                     Value slot, Value parity, bool isProducer) {
  constexpr int64_t suspendNanoseconds = 10'000'000;
  auto ticks = arith::ConstantIndexOp::create(builder, loc, suspendNanoseconds);
  auto wait = nvgpu::MBarrierTryWaitParityOp::create(builder, loc, barriers,
                                                     parity, ticks, slot);
  if (isProducer)
    wait->setAttr(kProducerAttrName, builder.getUnitAttr());
}

static int64_t getTileBytes(MemRefType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

void BarrierRing::emitProducer(BlockBuilder &blocks, const BlockState &state) {
  Value slot = state.position.slot;
  // In the first round the slots are empty: the parity is that of a phase
  // before the first.
  Value parity =
      arith::XOrIOp::create(builder, loc, state.position.phase, flag(true));
  emitWait(builder, loc, empty, slot, parity, /*isProducer=*/true);
  int64_t bytes = 0;
  for (Im2colOp copy : nest.copies)
    bytes += getTileBytes(cast<MemRefType>(copy.getDest().getType()));
  markProducer(nvgpu::MBarrierArriveExpectTxOp::create(
      builder, loc, full, constant(bytes), slot, Value()));
  blocks.emitCopies(state.digits, slot,
                    [&](Im2colOp copy, ValueRange offsets, Value dest) {
                      markProducer(LoadTileOp::create(
                          builder, copy.getLoc(), copy.getSource(), offsets,
                          dest, full, slot, copy.getPhase(), copy.getViews()));
                    });
}

void BarrierRing::emitConsumer(BlockBuilder &blocks, BlockState &state) {
  emitWait(builder, loc, full, state.position.slot, state.position.phase,
           /*isProducer=*/false);
  state.acc = blocks.emitContraction(state.position.slot, state.acc);
}

/// The block in this slot is consumed.
void BarrierRing::emitRelease(Value slot) {
  nvgpu::MBarrierArriveOp::create(
      builder, loc, nvgpu::MBarrierTokenType::get(kernel.getContext()), empty,
      slot);
}

void BarrierRing::emitNext(BlockBuilder &blocks, BlockState &state) {
  state.lastSlot = state.position.slot;
  Value next = getNextSlot(builder, loc, state.lastSlot, stages);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      next, constant(0));
  state.position = {
      next, arith::XOrIOp::create(builder, loc, state.position.phase, wraps)};
  state.digits = blocks.emitNext(state.digits);
}

//===----------------------------------------------------------------------===//
// All blocks of a tile, all tiles of a workgroup
//===----------------------------------------------------------------------===//

/// A tile of a stride phase that no tap reaches has a block all the same, but
/// is zero.
void BarrierRing::clearIfEmpty(Value &acc) {
  auto mayBeEmpty = [](Im2colOp copy) {
    return llvm::any_of(copy.getAllViews(),
                        [](ViewAttr view) { return view.getNumTaps() == 0; });
  };
  if (llvm::none_of(nest.copies, mayBeEmpty))
    return;
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        nest.getBlocks(builder), constant(0));
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(acc.getType()));
  acc = arith::SelectOp::create(builder, loc, isEmpty, zero, acc);
}

BlockState BarrierRing::emitBlocks(Position start) {
  BlockBuilder blocks(builder, nest, rings);
  BlockState state = {nest.getInit(), start, /*lastSlot=*/Value(), {}};
  state.digits.assign(nest.loops.size(), constant(0));
  Value numBlocks = nest.getBlocks(builder);
  emitProducer(blocks, state);
  emitConsumer(blocks, state);
  emitNext(blocks, state);
  if (nest.getConstantBlocks() != 1) {
    auto loop = scf::ForOp::create(builder, loc, constant(1), numBlocks,
                                   constant(1), state.values());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    BlockState inside = BlockState::of(loop.getRegionIterArgs());
    emitProducer(blocks, inside);
    emitConsumer(blocks, inside);
    emitRelease(inside.lastSlot);
    emitNext(blocks, inside);
    scf::YieldOp::create(builder, loc, inside.values());
    state = BlockState::of(loop.getResults());
  }
  emitRelease(state.lastSlot);
  clearIfEmpty(state.acc);
  return state;
}

/// The position at which a tile begins: the first one, or what the loop over
/// tiles carries.
Position BarrierRing::getStart() {
  builder.setInsertionPoint(nest.getRoot());
  auto tiles = dyn_cast<scf::ForOp>(nest.getRoot()->getParentOp());
  if (!tiles)
    return {constant(0), flag(false)};
  IRRewriter rewriter(builder.getContext());
  rewriter.setInsertionPoint(tiles);
  OpBuilder before(tiles);
  Value slot = arith::ConstantIndexOp::create(before, loc, 0);
  Value phase = arith::ConstantIntOp::create(before, loc, 0, 1);
  auto carrying = cast<scf::ForOp>(*tiles.replaceWithAdditionalYields(
      rewriter, {slot, phase}, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>(arguments);
      }));
  builder.setInsertionPoint(nest.getRoot());
  return {carrying.getRegionIterArg(0), carrying.getRegionIterArg(1)};
}

void BarrierRing::carryOn(Position start, Position end) {
  auto tiles = dyn_cast<scf::ForOp>(nest.getRoot()->getParentOp());
  if (!tiles)
    return;
  Operation *yield = tiles.getBody()->getTerminator();
  yield->setOperands({end.slot, end.phase});
}

Value BarrierRing::build() {
  createMemory();
  Position start = getStart();
  BlockState end = emitBlocks(start);
  carryOn(start, end.position);
  return end.acc;
}

namespace {
struct ConvPipelineBarriers
    : public conv::impl::ConvPipelineBarriersBase<ConvPipelineBarriers> {
  void runOnOperation() override {
    auto build = [&](OpBuilder &, GemmKNest &nest, ScheduleAttr schedule) {
      return BarrierRing(getOperation(), nest, schedule).build();
    };
    if (failed(replaceByRing(getOperation(), CopyKind::Tma, build)))
      signalPassFailure();
  }
};
} // namespace
