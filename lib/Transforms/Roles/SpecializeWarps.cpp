//===- SpecializeWarps.cpp - F6b to F6c -----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-specialize-warps. What stands after the kernel's first barrier, and
// before the cluster's barrier at its end, is cloned into the two branches of a
// warp-uniform condition. The producer keeps
// operations that are marked as its own, for one of its threads or for all,
// helpers those that are marked as theirs, the consumers all others; values
// that nobody needs in a branch become poison, and canonicalisation removes
// what carried them. Where consumers are several teams, these take tiles in
// turn. Nothing here knows what is copied or computed.
//
//===----------------------------------------------------------------------===//

#include "Support/IndexMath.h"
#include "WarpRoles.h"
#include "WarpTeams.h"
#include "Warpgroups.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Transforms/Roles/Passes.h"

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
#include "conv/Transforms/Roles/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Of one thread of the producer, and of whole warps of it.
static bool isAlone(Operation *op) { return op->hasAttr(kProducerAttrName); }
static bool isGathering(Operation *op) {
  return op->hasAttr(kProducersAttrName);
}
static bool isLoader(Operation *op) { return op->hasAttr(kLoaderAttrName); }
static bool isProducer(Operation *op) {
  return isAlone(op) || isGathering(op) || isLoader(op);
}

static bool isHelper(Operation *op) { return op->hasAttr(kHelperAttrName); }

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

/// Barriers count one arrival for each warp. Where it arrives in several
/// workgroups, each of its first lanes does so in one of them.
static void arriveByLane(Operation *arrival, Value lane) {
  auto remote = dyn_cast<ArriveRemoteOp>(arrival);
  Location loc = arrival->getLoc();
  OpBuilder builder(arrival->getContext());
  builder.setInsertionPointAfterValue(lane);
  IndexMath math(builder, loc);
  int64_t arrivals = 1;
  if (remote) {
    SmallVector<Value> workgroups = remote.getWorkgroups();
    arrivals = workgroups.size();
    Value own = workgroups.front();
    for (int64_t i = 1; i < arrivals; ++i)
      own = math.select(math.isBelow(lane, i), own, workgroups[i]);
    remote.getWorkgroupsMutable().assign(own);
  }
  Value arrives = math.isBelow(lane, arrivals);
  builder.setInsertionPoint(arrival);
  auto branch =
      scf::IfOp::create(builder, loc, arrives, /*withElseRegion=*/false);
  arrival->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
}

static void arriveOncePerWarp(Block &block, Value thread) {
  SmallVector<Operation *> arrivals;
  block.walk([&](Operation *op) {
    if (isa<nvgpu::MBarrierArriveOp, ArriveRemoteOp>(op))
      arrivals.push_back(op);
  });
  if (arrivals.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Value lane =
      arith::RemUIOp::create(builder, thread.getLoc(), thread,
                             arith::ConstantIndexOp::create(
                                 builder, thread.getLoc(), conv::kWarpSize));
  for (Operation *arrival : arrivals)
    arriveByLane(arrival, lane);
}

/// All that has an effect and is neither the producer's nor helpers'.
static bool isConsumer(Operation *op) {
  return !isProducer(op) && !isHelper(op) && !isa<scf::ForOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(op);
}

static bool hasAny(ArrayRef<Operation *> ops,
                   llvm::function_ref<bool(Operation *)> isWanted) {
  return llvm::any_of(ops, [&](Operation *op) {
    return op
        ->walk([&](Operation *part) {
          return isWanted(part) ? WalkResult::interrupt()
                                : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

static void cloneInto(OpBuilder &builder, ArrayRef<Operation *> ops) {
  IRMapping mapping;
  for (Operation *op : ops)
    builder.clone(*op, mapping);
}

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

/// Warps of the producer that execute something together, or some of which do;
/// 0 if all is done by one thread.
static int64_t countGatheringWarps(ArrayRef<Operation *> ops) {
  int64_t warps = 0;
  for (Operation *op : ops)
    op->walk([&](Operation *part) {
      if (auto number = part->getAttrOfType<IntegerAttr>(kProducersAttrName))
        warps = std::max(warps, number.getInt());
    });
  return warps;
}

/// Of a producer whose threads work together, what one of them does alone.
/// Neighbours share a branch.
static void electThread(Block &block, Value isElected) {
  SmallVector<Operation *> alone;
  block.walk([&](Operation *op) {
    if (op->hasAttr(kProducerAttrName) && op->getNumRegions() == 0)
      alone.push_back(op);
  });
  scf::IfOp branch;
  for (Operation *op : alone) {
    OpBuilder builder(op);
    if (!branch || branch->getNextNode() != op)
      branch = scf::IfOp::create(builder, op->getLoc(), isElected,
                                 /*withElseRegion=*/false);
    op->moveBefore(branch.thenBlock()->getTerminator());
  }
}

/// What the producer does, whose first thread is `first`. One thread does all
/// of it; or it does its part as one of those that gather; or, where these
/// leave a warp, apart from them; and what runs ahead, in the next warp.
static void emitProducer(Block &block, ArrayRef<Operation *> ops, Value thread,
                         Value first) {
  Location loc = thread.getLoc();
  OpBuilder builder(block.getTerminator());
  auto emitBranch = [&](arith::CmpIPredicate predicate, Value bound) {
    Value condition =
        arith::CmpIOp::create(builder, loc, predicate, thread, bound);
    return scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
  };
  int64_t warps = countGatheringWarps(ops);
  if (warps == kWarpsPerWarpgroup) {
    cloneInto(builder, ops);
    keepRole(block, isProducer);
    builder.setInsertionPointToStart(&block);
    Value isElected = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, thread, first);
    electThread(block, isElected);
    arriveOncePerWarp(block, thread);
    return;
  }
  Block *others = &block;
  if (warps > 0) {
    first = arith::AddIOp::create(
        builder, loc, first,
        arith::ConstantIndexOp::create(builder, loc, warps * conv::kWarpSize));
    auto gathers = emitBranch(arith::CmpIPredicate::ult, first);
    builder.setInsertionPointToStart(gathers.thenBlock());
    cloneInto(builder, ops);
    keepRole(*gathers.thenBlock(), isGathering);
    arriveOncePerWarp(*gathers.thenBlock(), thread);
    others = gathers.elseBlock();
    builder.setInsertionPointToStart(others);
  }
  auto elect = [&](function_ref<bool(Operation *)> isOfRole) {
    auto elected = emitBranch(arith::CmpIPredicate::eq, first);
    elected.getElseRegion().getBlocks().clear();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(elected.thenBlock());
    cloneInto(builder, ops);
    keepRole(*elected.thenBlock(), isOfRole);
  };
  elect(isAlone);
  if (!hasAny(ops, isLoader))
    return;
  first = arith::AddIOp::create(
      builder, loc, first,
      arith::ConstantIndexOp::create(builder, loc, conv::kWarpSize));
  elect(isLoader);
}

/// What the producer gives up serves the consumers, where the plan says so. A
/// lone workgroup with one warpgroup of consumers can have as many as a thread
/// can address without it.
static void emitRegisterShift(OpBuilder &builder, Location loc,
                              const KernelPlan &plan, bool isProducer) {
  if (!plan.consumerRegisters)
    return;
  NVVM::SetMaxRegisterOp::create(
      builder, loc,
      isProducer ? *plan.producerRegisters : *plan.consumerRegisters,
      isProducer ? NVVM::SetMaxRegisterAction::decrease
                 : NVVM::SetMaxRegisterAction::increase);
}

/// What warps do in roles: all between the barrier at which they have met and
/// that of the cluster, if there is one, or the end.
static SmallVector<Operation *> collectRoles(Block &body) {
  auto meets = [](Operation &op) {
    return isa<gpu::BarrierOp, NVVM::ClusterWaitOp>(op);
  };
  SmallVector<Operation *> ops;
  auto barrier = llvm::find_if(body, meets);
  if (barrier == body.end())
    return ops;
  for (Operation &op : llvm::make_range(std::next(barrier), body.end())) {
    if (isa<NVVM::ClusterArriveOp>(op) || op.hasTrait<OpTrait::IsTerminator>())
      break;
    ops.push_back(&op);
  }
  return ops;
}

/// Warps of the producer's warpgroup behind the one that copies.
static void emitHelpers(OpBuilder &builder, ArrayRef<Operation *> ops,
                        Value thread, int64_t consumers) {
  Location loc = thread.getLoc();
  IndexMath math(builder, loc);
  Value number =
      math.sub(thread, math.constant((consumers + 1) * conv::kWarpSize));
  Value isOne = math.isBelow(number, kHelperWarps * conv::kWarpSize);
  auto branch = scf::IfOp::create(builder, loc, isOne,
                                  /*withElseRegion=*/false);
  branch->setAttr(kHelperAttrName, builder.getUnitAttr());
  builder.setInsertionPointToStart(branch.thenBlock());
  cloneInto(builder, ops);
  keepRole(*branch.thenBlock(), isHelper);
  arriveOncePerWarp(*branch.thenBlock(), thread);
}

static LogicalResult specialize(gpu::GPUFuncOp kernel) {
  auto schedule =
      kernel->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (!schedule || !hasProducer(schedule))
    return success();
  SmallVector<Operation *> ops = collectRoles(kernel.getBody().front());
  if (ops.empty())
    return kernel.emitOpError("has no barrier after which its warps could "
                              "take roles");
  KernelPlan plan = getKernelPlan(kernel);
  if (!plan.producerRegisters)
    return emitNoPlan(kernel, "producer_registers");

  Location loc = kernel.getLoc();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(ops.back());
  int64_t consumers = getNumConsumerWarps(schedule);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value warpgroup = emitWarpgroupIndex(builder, loc, thread);
  Value last = arith::ConstantIndexOp::create(builder, loc,
                                              consumers / kWarpsPerWarpgroup);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       warpgroup, last);
  Value first =
      arith::ConstantIndexOp::create(builder, loc, consumers * conv::kWarpSize);
  auto roles = scf::IfOp::create(builder, loc, isLast,
                                 /*withElseRegion=*/true);

  emitProducer(*roles.thenBlock(), ops, thread, first);
  if (hasAny(ops, isHelper)) {
    builder.setInsertionPoint(roles.thenBlock()->getTerminator());
    emitHelpers(builder, ops, thread, consumers);
  }
  builder.setInsertionPointToStart(roles.thenBlock());
  emitRegisterShift(builder, loc, plan, /*isProducer=*/true);

  builder.setInsertionPointToStart(roles.elseBlock());
  emitRegisterShift(builder, loc, plan, /*isProducer=*/false);
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
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(specialize(kernel)))
        return signalPassFailure();
  }
};
} // namespace
