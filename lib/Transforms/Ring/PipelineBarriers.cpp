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
// after its contraction: `wgmma` may run until the next one has begun. Loads
// for `mma.sync` may wait in the queue of shared memory until its products are
// issued: that is so when the next block is awaited, and a slot is released
// then. Slot and phase go on from one tile of the workgroup to its next. What
// slots hold is told apart in RingOperands.h. An operand that is the same in
// all tiles is loaded with the first one, and nobody releases it. Kernels with
// rings of windows and of filter tiles are built by WindowRing.cpp.
//
//===----------------------------------------------------------------------===//

#include "GroupedTiles.h"
#include "RingBarriers.h"
#include "RingOperands.h"
#include "Roles/Synchronization.h"
#include "RowSumHelpers.h"
#include "Support/IndexMath.h"
#include "TileOrder.h"
#include "WindowRing.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"
#include "conv/Dialect/Engine/IR/EngineDialect.h"
#include "conv/Schedule/Shape/KernelThreads.h"
#include "conv/Transforms/Ring/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVPIPELINEBARRIERS
#include "conv/Transforms/Ring/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {

/// What the loop over blocks carries.
struct BlockState {
  Value acc;
  RingPosition position;
  Value lastSlot;   ///< Of the block before.
  Value rowSums;    ///< Of helpers; null if there are none.
  RingPosition box; ///< Null if there are none, the slot if there is one.
  Value block;      ///< Of the operand that lasts; null if there is none.
  SmallVector<Value> digits;

  SmallVector<Value> values() const {
    SmallVector<Value> result = {acc, position.slot, position.phase, lastSlot};
    for (Value value : {rowSums, box.slot, box.phase, block})
      if (value)
        result.push_back(value);
    llvm::append_range(result, digits);
    return result;
  }
  /// The same values of a loop that carries them.
  BlockState with(ValueRange values) const {
    BlockState state = {
        values[0], {values[1], values[2]}, values[3], {}, {}, {}, {}};
    values = values.drop_front(4);
    auto take = [&](Value own) {
      if (!own)
        return Value();
      Value taken = values.front();
      values = values.drop_front();
      return taken;
    };
    state.rowSums = take(rowSums);
    state.box.slot = take(box.slot);
    state.box.phase = take(box.phase);
    state.block = take(block);
    llvm::append_range(state.digits, values);
    return state;
  }
};

class BarrierRing {
public:
  BarrierRing(gpu::GPUFuncOp kernel, GemmKNest &nest, ScheduleAttr schedule)
      : kernel(kernel), nest(nest), schedule(schedule),
        loc(nest.contraction.getLoc()), builder(kernel.getContext()),
        blocks(builder, nest, noRings) {}

  /// Returns what the nest computed.
  FailureOr<Value> build();

private:
  void clearIfEmpty(Value &acc);
  LogicalResult createOperands();
  void createRings();
  BlockState emitBlocks(ArrayRef<RingPosition> starts);
  void emitProducer(const BlockState &state);
  void emitLastingLoad(const BlockState &state);
  void emitConsumer(BlockState &state);
  void emitHelpers(BlockState &state);
  RingPosition emitNextBox(RingPosition box);
  void emitNext(BlockState &state);
  void emitRelease(Value slot, bool isLast);

  /// Whether products read shared memory by themselves.
  bool isAsynchronous() { return schedule.getMma() == MmaKind::Wgmma; }
  int64_t getGatheringTeams() const;
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  gpu::GPUFuncOp kernel;
  GemmKNest &nest;
  ScheduleAttr schedule;
  Location loc;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> noRings;
  BlockBuilder blocks; ///< For digits only.
  std::unique_ptr<RingOperands> operands;
  std::optional<RingBarriers> barriers;
  std::optional<RingBarriers> boxes;    ///< Where windows are made of such.
  std::optional<RingBarriers> lasting;  ///< Of what is loaded once.
  Value isFirstTile;                    ///< Of the workgroup, to load it.
  std::optional<RowSumHelpers> helpers; ///< Where rows are summed.
};

} // namespace

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// A team waits for its loads before it stores the last of them, while others
/// load for other slots: more teams keep more loads on their way, but each
/// takes longer for a slot. Asynchronous copies are not waited for.
int64_t BarrierRing::getGatheringTeams() const {
  constexpr int64_t leastSlots = 4;
  if (operands->gathersAsync() || operands->getBoxRing())
    return 1;
  return schedule.getStages() >= leastSlots ? 2 : 1;
}

void BarrierRing::emitLastingLoad(const BlockState &state) {
  if (!lasting)
    return;
  IndexMath math(builder, loc);
  markProducer(math.guard(isFirstTile, [&] {
    lasting->emitOnlyFill(state.block, operands->getLastingBytes());
    operands->emitLastingLoad(state.digits, state.block, lasting->getFull());
  }));
}

/// What is loaded early stands first: each role does its part in this order.
void BarrierRing::emitProducer(const BlockState &state) {
  if (boxes)
    operands->emitBoxLoads(state.digits, *boxes, state.box);
  emitLastingLoad(state);
  IndexMath math(builder, loc);
  if (operands->getBytes() > 0)
    barriers->emitFill(state.position, operands->emitBytes(math, state.digits));
  operands->emitLoads(state.digits, state.position.slot, barriers->getFull());
  barriers->emitGather(state.position, [&] {
    if (boxes)
      return operands->emitTransposition(state.digits, state.position.slot,
                                         *boxes, state.box);
    operands->emitGathers(state.digits, state.position.slot,
                          kWarpsPerWarpgroup / getGatheringTeams());
  });
}

/// The slot of the block before is released in front of the products, which
/// then read registers only; behind all of them, where they read shared memory;
/// or behind the first ones, where these are apart.
void BarrierRing::emitConsumer(BlockState &state) {
  if (lasting)
    lasting->emitOnlyAwait(state.block);
  barriers->emitAwait(state.position);
  if (state.lastSlot && !isAsynchronous())
    emitRelease(state.lastSlot, /*isLast=*/false);
  Value first = operands->emitFirstProducts(state.position.slot, state.acc);
  if (first && state.lastSlot)
    emitRelease(state.lastSlot, /*isLast=*/false);
  state.acc = operands->emitContraction(state.position.slot,
                                        first ? first : state.acc, state.block);
  if (!first && state.lastSlot && isAsynchronous())
    emitRelease(state.lastSlot, /*isLast=*/false);
}

void BarrierRing::emitHelpers(BlockState &state) {
  if (helpers)
    state.rowSums = helpers->emitBlock(
        *operands, state.position, state.lastSlot, state.rowSums,
        blocks.emitRowSumCondition(state.digits));
}

RingPosition BarrierRing::emitNextBox(RingPosition box) {
  Value turns = arith::ConstantIntOp::create(builder, loc, true, 1);
  if (box.slot) {
    box.slot = getNextSlot(builder, loc, box.slot, operands->getBoxSlots());
    turns = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  box.slot, constant(0));
  }
  box.phase = arith::XOrIOp::create(builder, loc, box.phase, turns);
  return box;
}

void BarrierRing::emitNext(BlockState &state) {
  state.lastSlot = state.position.slot;
  state.position = barriers->emitNext(state.position);
  if (boxes)
    for (int64_t i = operands->getBoxSlotsOfBlock(); i > 0; --i)
      state.box = emitNextBox(state.box);
  if (lasting)
    state.block = arith::AddIOp::create(builder, loc, state.block, constant(1));
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

/// `wgmma` reads for a whole warpgroup, and what it reads is waited for. Loads
/// are each lane's own: all lanes have made theirs before the first one arrives
/// for the warp. In the loop the products that need their values stand before
/// the wait for the next block; at its end a fence waits for them. Where lanes
/// load what `wgmma` takes from registers, its products have waited for that.
void BarrierRing::emitRelease(Value slot, bool isLast) {
  if (!isAsynchronous() && isLast)
    emitProxyFence(builder, loc);
  if (!isAsynchronous() || operands->isReadByThreads())
    emitWarpSync(builder, loc);
  barriers->emitRelease(slot);
}

BlockState BarrierRing::emitBlocks(ArrayRef<RingPosition> starts) {
  BlockState state = {nest.getInit(),
                      starts.front(),
                      /*lastSlot=*/Value(),
                      helpers ? nest.getRowSumInit() : Value(),
                      boxes ? starts.back() : RingPosition(),
                      lasting ? constant(0) : Value(),
                      {}};
  if (operands->getBoxSlots() == 1)
    state.box.slot = Value();
  state.digits.assign(nest.loops.size(), constant(0));
  Value numBlocks = nest.getBlocks(builder);
  emitProducer(state);
  emitConsumer(state);
  emitHelpers(state);
  emitNext(state);
  if (nest.getConstantBlocks() != 1) {
    auto loop = scf::ForOp::create(builder, loc, constant(1), numBlocks,
                                   constant(1), state.values());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    BlockState inside = state.with(loop.getRegionIterArgs());
    emitProducer(inside);
    emitConsumer(inside);
    emitHelpers(inside);
    emitNext(inside);
    scf::YieldOp::create(builder, loc, inside.values());
    state = state.with(loop.getResults());
  }
  emitRelease(state.lastSlot, /*isLast=*/true);
  if (helpers)
    helpers->emitEnd(state.lastSlot, state.rowSums);
  clearIfEmpty(state.acc);
  return state;
}

FailureOr<std::unique_ptr<RingOperands>>
conv::makeRingOperands(OpBuilder &builder, GemmKNest &nest,
                       ScheduleAttr schedule) {
  if (!hasTapsOfWindow(nest))
    return makeTileOperands(builder, nest, schedule);
  return readsImageTaps(schedule)
             ? makeImageTapOperands(builder, nest, schedule)
             : makeWindowOperands(builder, nest, schedule);
}

LogicalResult BarrierRing::createOperands() {
  auto made = makeRingOperands(builder, nest, schedule);
  if (failed(made))
    return failure();
  operands = std::move(*made);
  if (operands->countOwnSlots(schedule) && !nest.plan.slots)
    return emitNoPlan(kernel, "slots");
  return success();
}

void BarrierRing::createRings() {
  builder.setInsertionPointToStart(&kernel.getBody().front());
  int64_t slots = operands->getSlots(schedule);
  operands->createMemory(slots);
  std::optional<RingShape> boxRing = operands->getBoxRing();
  RingShape shape = {slots, operands->findPeers(loc, schedule)};
  shape.helpers = nest.rowSum ? kHelperWarps : 0;
  shape.isCopied = operands->getBytes() > 0;
  shape.gatheringTeams = getGatheringTeams();
  shape.gathersAsync = operands->gathersAsync();
  if (boxRing)
    shape.gatheringWarps = boxRing->readers;
  else if (operands->isGathered())
    shape.gatheringWarps = kWarpsPerWarpgroup / shape.gatheringTeams;
  SmallVector<RingShape> shapes = {shape};
  if (boxRing)
    shapes.push_back(*boxRing);
  if (int64_t blocks = operands->getLastingBlocks())
    shapes.push_back({blocks, /*peers=*/{}});
  SmallVector<RingBarriers> rings =
      createBarriers(builder, loc, schedule, shapes);
  barriers.emplace(rings.front());
  if (boxRing)
    boxes.emplace(rings[1]);
  if (operands->getLastingBlocks() > 0)
    lasting.emplace(rings.back());
}

FailureOr<Value> BarrierRing::build() {
  if (failed(createOperands()))
    return failure();
  createRings();
  if (nest.rowSum) {
    helpers.emplace(builder, nest, *barriers);
    if (failed(helpers->match()))
      return failure();
  }
  SmallVector<RingPosition> starts =
      openPositions(builder, nest, boxes ? 2 : 1);
  if (lasting)
    isFirstTile = emitIsFirstTile(builder, nest);
  BlockState end = emitBlocks(starts);
  SmallVector<RingPosition> ends = {end.position};
  if (boxes)
    ends.push_back(
        {end.box.slot ? end.box.slot : starts.back().slot, end.box.phase});
  carryPositions(nest, ends);
  return end.acc;
}

namespace {
struct ConvPipelineBarriers
    : public conv::impl::ConvPipelineBarriersBase<ConvPipelineBarriers> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(addRing(kernel)))
        return signalPassFailure();
  }

private:
  static LogicalResult addRing(gpu::GPUFuncOp kernel) {
    auto build = [&](OpBuilder &, GemmKNest &nest,
                     ScheduleAttr schedule) -> FailureOr<Value> {
      if (!nest.plan.keeps)
        return emitNoPlan(kernel, "keeps");
      if (failed(orderTiles(nest)))
        return failure();
      if (schedule.getWindow() && !hasTapsOfWindow(nest))
        return buildWindowRing(kernel, nest, schedule);
      return BarrierRing(kernel, nest, schedule).build();
    };
    return replaceByRing(kernel, CopyKind::Tma, build);
  }
};
} // namespace
