//===- LowerMbarriers.cpp - mbarrier objects ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvvm.mbarrier.*: see Runtime/MbarrierOps.h.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Barriers/MbarrierOps.h"
#include "Runtime/Memory/MemoryOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;
using Wait = emu::MbarrierWaitSite;

static LogicalResult lowerInit(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::MbarrierInitSite>(op);
  site.hasPredicate = bool(cast<NVVM::MBarrierInitOp>(op).getPredicate());
  return lowering.replaceWithCall(op, site, emu::initMbarrier,
                                  op->getOperands());
}

static LogicalResult lowerInval(KernelLowering &lowering, Operation *op) {
  return lowering.replaceWithCall(op, lowering.newSite(op),
                                  emu::invalidateMbarrier, op->getOperands());
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

/// A site with what follows from the operands and results alone.
static emu::MbarrierUpdateSite &newUpdate(KernelLowering &lowering,
                                          Operation *op) {
  auto &site = lowering.newSite<emu::MbarrierUpdateSite>(op);
  auto type = cast<LLVM::LLVMPointerType>(op->getOperand(0).getType());
  site.anyWorkgroup = type.getAddressSpace() == emu::kClusterSpace;
  site.hasOperand = op->getNumOperands() > 1;
  site.hasPredicate = op->getNumOperands() > 2;
  site.hasResult = op->getNumResults() != 0;
  return site;
}

static LogicalResult replaceUpdate(KernelLowering &lowering, Operation *op,
                                   emu::MbarrierUpdateSite &site) {
  return lowering.replaceWithCall(op, site, emu::arriveAtMbarrier,
                                  op->getOperands());
}

template <bool Drops, bool NoComplete>
static LogicalResult lowerArrive(KernelLowering &lowering, Operation *op) {
  emu::MbarrierUpdateSite &site = newUpdate(lowering, op);
  site.drops = Drops;
  site.noComplete = NoComplete;
  return replaceUpdate(lowering, op, site);
}

template <bool Drops>
static LogicalResult lowerArriveExpectTx(KernelLowering &lowering,
                                         Operation *op) {
  emu::MbarrierUpdateSite &site = newUpdate(lowering, op);
  site.drops = Drops;
  site.transactionSign = 1;
  return replaceUpdate(lowering, op, site);
}

template <int Sign>
static LogicalResult lowerTransactions(KernelLowering &lowering,
                                       Operation *op) {
  emu::MbarrierUpdateSite &site = newUpdate(lowering, op);
  site.arrives = false;
  site.transactionSign = Sign;
  return replaceUpdate(lowering, op, site);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// The time limits are dropped: a wait ends when its phase is complete, or when
/// nobody else can run.
template <Wait::Kind Kind>
static LogicalResult lowerWait(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<Wait>(op);
  site.kind = Kind;
  site.byToken = op->getOperand(1).getType().isInteger(64);
  return lowering.replaceWithCall(op, site, emu::waitForMbarrier,
                                  op->getOperands().take_front(2));
}

template <typename Op> static void add(OpTable &table, LowerOp lower) {
  table[Op::getOperationName()] = lower;
}

void mlir::conv::emulator::addMbarrierOps(OpTable &table) {
  add<NVVM::MBarrierInitOp>(table, lowerInit);
  add<NVVM::MBarrierInvalOp>(table, lowerInval);
  add<NVVM::MBarrierArriveOp>(table, lowerArrive<false, false>);
  add<NVVM::MBarrierArriveDropOp>(table, lowerArrive<true, false>);
  add<NVVM::MBarrierArriveNocompleteOp>(table, lowerArrive<false, true>);
  add<NVVM::MBarrierArriveDropNocompleteOp>(table, lowerArrive<true, true>);
  add<NVVM::MBarrierArriveExpectTxOp>(table, lowerArriveExpectTx<false>);
  add<NVVM::MBarrierArriveDropExpectTxOp>(table, lowerArriveExpectTx<true>);
  add<NVVM::MBarrierExpectTxOp>(table, lowerTransactions<1>);
  add<NVVM::MBarrierCompleteTxOp>(table, lowerTransactions<-1>);
  add<NVVM::MBarrierTestWaitOp>(table, lowerWait<Wait::Kind::Test>);
  add<NVVM::MBarrierTryWaitOp>(table, lowerWait<Wait::Kind::Try>);
  add<NVVM::MBarrierTryWaitParityOp>(table, lowerWait<Wait::Kind::Loop>);
}
