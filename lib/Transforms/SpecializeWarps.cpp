//===- SpecializeWarps.cpp - F6b to F6c -----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-specialize-warps. What stands after the kernel's first barrier is cloned
// into the two branches of a warp-uniform condition. The producer keeps
// operations that are marked as its own, the consumers all others; values that
// nobody needs in a branch become poison, and canonicalisation removes what
// carried them. Where consumers are several teams, these take tiles in turn.
// Nothing here knows what is copied or computed.
//
//===----------------------------------------------------------------------===//

#include "WarpRoles.h"
#include "WarpTeams.h"
#include "Warpgroups.h"
#include "conv/Dialect/Conv/IR/ConvHopperOps.h"
#include "conv/Transforms/HopperPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVSPECIALIZEWARPS
#include "conv/Transforms/HopperPasses.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static bool isProducer(Operation *op) { return op->hasAttr(kProducerAttrName); }

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

/// Barriers count one arrival for each warp.
static void arriveOncePerWarp(Block &block, Value thread) {
  SmallVector<nvgpu::MBarrierArriveOp> arrivals;
  block.walk([&](nvgpu::MBarrierArriveOp op) { arrivals.push_back(op); });
  if (arrivals.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Location loc = thread.getLoc();
  Value lane = arith::RemUIOp::create(
      builder, loc, thread,
      arith::ConstantIndexOp::create(builder, loc, conv::kWarpSize));
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane,
                            arith::ConstantIndexOp::create(builder, loc, 0));
  for (nvgpu::MBarrierArriveOp arrival : arrivals) {
    builder.setInsertionPoint(arrival);
    auto branch = scf::IfOp::create(builder, arrival.getLoc(), isFirst,
                                    /*withElseRegion=*/false);
    arrival->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  }
}

/// All that has an effect and is not the producer's.
static bool isConsumer(Operation *op) {
  return !isProducer(op) && !isa<scf::ForOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(op);
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

static void cloneInto(OpBuilder &builder, ArrayRef<Operation *> ops) {
  IRMapping mapping;
  for (Operation *op : ops)
    builder.clone(*op, mapping);
}

/// What the producer gives up serves the consumers. A lone workgroup with one
/// warpgroup of consumers can have as many as a thread can address without it.
static void emitRegisterShift(OpBuilder &builder, Location loc,
                              ScheduleAttr schedule, bool isProducer) {
  if (getNumConsumerWarpgroups(schedule) < 2 && schedule.getResident() < 2)
    return;
  NVVM::SetMaxRegisterOp::create(
      builder, loc,
      isProducer ? kProducerRegisters : getConsumerRegisters(schedule),
      isProducer ? NVVM::SetMaxRegisterAction::decrease
                 : NVVM::SetMaxRegisterAction::increase);
}

static LogicalResult specialize(gpu::GPUFuncOp kernel) {
  auto schedule =
      kernel->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (!schedule || !hasProducer(schedule))
    return success();
  Block &body = kernel.getBody().front();
  auto barriers = body.getOps<gpu::BarrierOp>();
  if (barriers.empty())
    return kernel.emitOpError("has no barrier after which its warps could "
                              "take roles");
  SmallVector<Operation *> ops;
  for (Operation *op = (*barriers.begin())->getNextNode();
       op != body.getTerminator(); op = op->getNextNode())
    ops.push_back(op);

  Location loc = kernel.getLoc();
  OpBuilder builder(body.getTerminator());
  int64_t consumers = getNumConsumerWarps(schedule);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value warpgroup = emitWarpgroupIndex(builder, loc, thread);
  Value last = arith::ConstantIndexOp::create(builder, loc,
                                              consumers / kWarpsPerWarpgroup);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       warpgroup, last);
  auto roles = scf::IfOp::create(builder, loc, isLast,
                                 /*withElseRegion=*/true);

  builder.setInsertionPointToStart(roles.thenBlock());
  emitRegisterShift(builder, loc, schedule, /*isProducer=*/true);
  Value first =
      arith::ConstantIndexOp::create(builder, loc, consumers * conv::kWarpSize);
  Value isElected = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, thread, first);
  auto elected = scf::IfOp::create(builder, loc, isElected,
                                   /*withElseRegion=*/false);
  builder.setInsertionPointToStart(elected.thenBlock());
  cloneInto(builder, ops);
  keepRole(*elected.thenBlock(), isProducer);

  builder.setInsertionPointToStart(roles.elseBlock());
  emitRegisterShift(builder, loc, schedule, /*isProducer=*/false);
  cloneInto(builder, ops);
  keepRole(*roles.elseBlock(), isConsumer);
  arriveOncePerWarp(*roles.elseBlock(), thread);

  for (Operation *op : llvm::reverse(ops))
    op->erase();
  if (schedule.getTeams() > 1)
    return takeTurns(*roles.elseBlock(), warpgroup, schedule.getTeams());
  return success();
}

namespace {
struct ConvSpecializeWarps
    : public conv::impl::ConvSpecializeWarpsBase<ConvSpecializeWarps> {
  void runOnOperation() override {
    if (failed(specialize(getOperation())))
      signalPassFailure();
  }
};
} // namespace
