//===- RingBarriers.cpp - full and empty barriers of a ring ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingBarriers.h"

#include "Roles/Clusters.h"
#include "Roles/Synchronization.h"
#include "Support/IndexMath.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

void conv::markProducer(Operation *op) {
  op->setAttr(kProducerAttrName, UnitAttr::get(op->getContext()));
}

void conv::markLoader(Operation *op) {
  op->setAttr(kLoaderAttrName, UnitAttr::get(op->getContext()));
}

void conv::markHelper(Operation *op) {
  op->walk([](Operation *part) {
    part->setAttr(kHelperAttrName, UnitAttr::get(part->getContext()));
  });
}

void conv::markProducers(Operation *op, int64_t warps) {
  op->setAttr(kProducersAttrName,
              Builder(op->getContext()).getI64IntegerAttr(warps));
}

int64_t conv::getTileBytes(MemRefType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

static Value makeFlag(OpBuilder &builder, Location loc, bool value) {
  return arith::ConstantIntOp::create(builder, loc, value, 1);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

Value conv::createBarrierGroup(OpBuilder &builder, Location loc,
                               int64_t number) {
  MLIRContext *context = builder.getContext();
  auto space =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  auto group = nvgpu::MBarrierGroupType::get(context, space, number);
  return nvgpu::MBarrierCreateOp::create(builder, loc, group);
}

Operation *conv::emitPhaseWait(OpBuilder &builder, Location loc, Value barriers,
                               Value slot, Value parity) {
  constexpr int64_t suspendNanoseconds = 10'000'000;
  auto ticks = arith::ConstantIndexOp::create(builder, loc, suspendNanoseconds);
  return nvgpu::MBarrierTryWaitParityOp::create(builder, loc, barriers, parity,
                                                ticks, slot);
}

//===----------------------------------------------------------------------===//
// One ring
//===----------------------------------------------------------------------===//

RingBarriers::RingBarriers(OpBuilder &builder, Location loc,
                           const RingShape &shape)
    : builder(&builder), loc(loc), shape(shape),
      full(createBarrierGroup(builder, loc, shape.slots)),
      empty(createBarrierGroup(builder, loc, shape.slots)) {}

Value RingBarriers::constant(int64_t value) {
  return arith::ConstantIndexOp::create(*builder, loc, value);
}

void RingBarriers::initialize(Value consumers) {
  int64_t arrivals =
      (shape.isCopied ? 1 : 0) +
      shape.gatheringWarps * (shape.gathersAsync ? conv::kWarpSize : 1);
  if (shape.readers > 0)
    consumers = constant(shape.readers);
  for (int64_t slot = 0; slot < shape.slots; ++slot) {
    nvgpu::MBarrierInitOp::create(*builder, loc, full, constant(arrivals),
                                  constant(slot), Value());
    nvgpu::MBarrierInitOp::create(*builder, loc, empty, consumers,
                                  constant(slot), Value());
  }
}

/// In the first round the slots are empty: the parity is that of a phase before
/// the first.
Operation *RingBarriers::emitEmptyWait(RingPosition position) {
  Value parity = arith::XOrIOp::create(*builder, loc, position.phase,
                                       makeFlag(*builder, loc, true));
  return emitPhaseWait(*builder, loc, empty, position.slot, parity);
}

void RingBarriers::markFill(Operation *op) {
  if (shape.hasLoader)
    markLoader(op);
  else
    markProducer(op);
}

void RingBarriers::emitFill(RingPosition position, int64_t bytes) {
  if (shape.isCopied)
    emitFill(position, constant(bytes));
}

void RingBarriers::emitFill(RingPosition position, Value bytes) {
  markFill(emitEmptyWait(position));
  markFill(nvgpu::MBarrierArriveExpectTxOp::create(*builder, loc, full, bytes,
                                                   position.slot, Value()));
}

/// Teams have slots of their own, so that each meets every phase of its slots.
/// What threads have written is read by the asynchronous proxy. One lane
/// arrives for a warp. Of asynchronous copies nobody waits: they arrive
/// themselves, and who reads them fences.
void RingBarriers::emitGather(RingPosition position,
                              llvm::function_ref<void()> body) {
  int64_t warps = shape.gatheringWarps, teams = shape.gatheringTeams;
  if (warps == 0)
    return;
  auto mark = [&](Operation *op) { markProducers(op, warps * teams); };
  IndexMath math(*builder, loc);
  Value isOwn;
  if (teams > 1) {
    Value thread = gpu::ThreadIdOp::create(*builder, loc, gpu::Dimension::x);
    Value team = math.rem(math.div(thread, warps * conv::kWarpSize), teams);
    isOwn = arith::CmpIOp::create(*builder, loc, arith::CmpIPredicate::eq, team,
                                  math.rem(position.slot, teams));
  }
  Operation *branch = math.guard(isOwn, [&] {
    mark(emitEmptyWait(position));
    body();
    if (shape.gathersAsync)
      return mark(ArriveCopiedOp::create(*builder, loc, full, position.slot));
    mark(emitProxyFence(*builder, loc));
    mark(emitWarpSync(*builder, loc));
    mark(nvgpu::MBarrierArriveOp::create(
        *builder, loc, nvgpu::MBarrierTokenType::get(builder->getContext()),
        full, position.slot));
  });
  if (branch)
    mark(branch);
}

void RingBarriers::emitOnlyFill(Value slot, int64_t bytes) {
  markFill(nvgpu::MBarrierArriveExpectTxOp::create(
      *builder, loc, full, constant(bytes), slot, Value()));
}

Operation *RingBarriers::emitAwait(RingPosition position) {
  Operation *wait =
      emitPhaseWait(*builder, loc, full, position.slot, position.phase);
  if (shape.gathersAsync)
    emitProxyFence(*builder, loc);
  return wait;
}

Operation *RingBarriers::emitOnlyAwait(Value slot) {
  return emitAwait({slot, makeFlag(*builder, loc, false)});
}

Operation *RingBarriers::emitRelease(Value slot) {
  if (!shape.peers.empty())
    return ArriveRemoteOp::create(*builder, loc, empty, slot, shape.peers);
  return nvgpu::MBarrierArriveOp::create(
      *builder, loc, nvgpu::MBarrierTokenType::get(builder->getContext()),
      empty, slot);
}

RingPosition RingBarriers::emitNext(RingPosition position) {
  Value next = getNextSlot(*builder, loc, position.slot, shape.slots);
  Value wraps = arith::CmpIOp::create(*builder, loc, arith::CmpIPredicate::eq,
                                      next, constant(0));
  return {next, arith::XOrIOp::create(*builder, loc, position.phase, wraps)};
}

//===----------------------------------------------------------------------===//
// All rings
//===----------------------------------------------------------------------===//

SmallVector<RingBarriers> conv::createBarriers(OpBuilder &builder, Location loc,
                                               ScheduleAttr schedule,
                                               ArrayRef<RingShape> shapes) {
  SmallVector<RingBarriers> rings;
  for (const RingShape &shape : shapes)
    rings.emplace_back(builder, loc, shape);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        thread, zero);
  auto branch = scf::IfOp::create(builder, loc, isFirst,
                                  /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    int64_t warps = schedule.getThreads() / kWarpSize;
    for (auto [ring, shape] : llvm::zip_equal(rings, shapes))
      ring.initialize(arith::ConstantIndexOp::create(
          builder, loc,
          (warps + shape.helpers) * std::max<int64_t>(shape.peers.size(), 1)));
    NVVM::FenceMbarrierInitOp::create(builder, loc);
  }
  if (llvm::all_of(shapes,
                   [](const RingShape &ring) { return ring.peers.empty(); })) {
    gpu::BarrierOp::create(builder, loc);
    return rings;
  }
  // Nobody arrives at a peer's barriers before they are there, nor writes to a
  // workgroup that has ended.
  emitClusterBarrier(builder, loc);
  OpBuilder end(builder.getInsertionBlock()->getTerminator());
  emitClusterBarrier(end, loc);
  return rings;
}

//===----------------------------------------------------------------------===//
// From tile to tile
//===----------------------------------------------------------------------===//

SmallVector<RingPosition> conv::openPositions(OpBuilder &builder,
                                              GemmKNest &nest, size_t number) {
  auto tiles = dyn_cast<scf::ForOp>(nest.getRoot()->getParentOp());
  OpBuilder before(tiles ? tiles.getOperation() : nest.getRoot());
  Location loc = nest.contraction.getLoc();
  SmallVector<Value> starts;
  for (size_t i = 0; i < number; ++i) {
    starts.push_back(arith::ConstantIndexOp::create(before, loc, 0));
    starts.push_back(makeFlag(before, loc, false));
  }
  if (tiles) {
    IRRewriter rewriter(builder.getContext());
    rewriter.setInsertionPoint(tiles);
    auto carrying = cast<scf::ForOp>(*tiles.replaceWithAdditionalYields(
        rewriter, starts, /*replaceInitOperandUsesInLoop=*/false,
        [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
          return SmallVector<Value>(arguments);
        }));
    starts.assign(carrying.getRegionIterArgs().begin(),
                  carrying.getRegionIterArgs().end());
  }
  builder.setInsertionPoint(nest.getRoot());
  SmallVector<RingPosition> positions;
  for (size_t i = 0; i < number; ++i)
    positions.push_back({starts[2 * i], starts[2 * i + 1]});
  return positions;
}

Value conv::emitIsFirstTile(OpBuilder &builder, GemmKNest &nest) {
  auto tiles = dyn_cast<scf::ForOp>(nest.getRoot()->getParentOp());
  if (!tiles)
    return nullptr;
  return arith::CmpIOp::create(builder, nest.contraction.getLoc(),
                               arith::CmpIPredicate::eq,
                               tiles.getInductionVar(), tiles.getLowerBound());
}

void conv::carryPositions(GemmKNest &nest, ArrayRef<RingPosition> ends) {
  auto tiles = dyn_cast<scf::ForOp>(nest.getRoot()->getParentOp());
  if (!tiles)
    return;
  SmallVector<Value> values;
  for (RingPosition end : ends)
    llvm::append_values(values, end.slot, end.phase);
  tiles.getBody()->getTerminator()->setOperands(values);
}
