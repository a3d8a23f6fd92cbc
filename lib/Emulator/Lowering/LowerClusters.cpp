//===- LowerClusters.cpp - clusters, fences, registers --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that concern a workgroup or cluster as a whole: the cluster's
// barrier, mapa, fences, setmaxnreg.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Barriers/ClusterOps.h"
#include "Runtime/Barriers/FenceOps.h"
#include "Runtime/Matrices/RegisterOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

template <bool Relaxed>
static LogicalResult lowerArrive(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::ClusterBarrierSite>(op);
  site.aligned = op->hasAttr("aligned");
  site.relaxed = Relaxed;
  return lowering.replaceWithCall(op, site, emu::arriveAtCluster, {});
}

static LogicalResult lowerWait(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::ClusterBarrierSite>(op);
  site.aligned = bool(cast<NVVM::ClusterWaitOp>(op).getAligned());
  return lowering.replaceWithCall(op, site, emu::waitForCluster, {});
}

static LogicalResult lowerMapa(KernelLowering &lowering, Operation *op) {
  return lowering.replaceWithCall(op, lowering.newSite(op), emu::mapToWorkgroup,
                                  op->getOperands());
}

static LogicalResult lowerFenceProxy(KernelLowering &lowering, Operation *op) {
  switch (cast<NVVM::FenceProxyOp>(op).getKind()) {
  case NVVM::ProxyKind::async:
  case NVVM::ProxyKind::async_shared:
    return lowering.replaceWithCall(op, lowering.newSite(op),
                                    emu::fenceAsyncProxy, {});
  case NVVM::ProxyKind::alias:
  case NVVM::ProxyKind::async_global:
    op->erase(); // The emulator has one view of global memory.
    return success();
  default:
    return op->emitOpError("of this kind is not emulated");
  }
}

static LogicalResult lowerFenceMemory(KernelLowering &lowering, Operation *op) {
  return lowering.replaceWithCall(op, lowering.newSite(op), emu::fenceMemory,
                                  {});
}

static LogicalResult lowerFenceMbarrierInit(KernelLowering &lowering,
                                            Operation *op) {
  return lowering.replaceWithCall(op, lowering.newSite(op),
                                  emu::fenceMbarrierInit, {});
}

static LogicalResult lowerSetMaxRegister(KernelLowering &lowering,
                                         Operation *op) {
  auto set = cast<NVVM::SetMaxRegisterOp>(op);
  auto &site = lowering.newSite<emu::SetRegistersSite>(op);
  site.registers = set.getRegCount();
  site.increase = set.getAction() == NVVM::SetMaxRegisterAction::increase;
  return lowering.replaceWithCall(op, site, emu::setRegisters, {});
}

static LogicalResult lowerGriddepcontrol(KernelLowering &lowering,
                                         Operation *op) {
  if (cast<NVVM::GriddepcontrolOp>(op).getKind() ==
      NVVM::GridDepActionKind::wait)
    return lowering.replaceWithCall(op, lowering.newSite(op), emu::waitForGrids,
                                    {});
  op->erase(); // Nothing is launched ahead.
  return success();
}

/// Prefetches do nothing here.
static LogicalResult erase(KernelLowering &, Operation *op) {
  op->erase();
  return success();
}

template <typename Op> static void add(OpTable &table, LowerOp lower) {
  table[Op::getOperationName()] = lower;
}

void mlir::conv::emulator::addClusterOps(OpTable &table) {
  add<NVVM::ClusterArriveOp>(table, lowerArrive<false>);
  add<NVVM::ClusterArriveRelaxedOp>(table, lowerArrive<true>);
  add<NVVM::ClusterWaitOp>(table, lowerWait);
  add<NVVM::MapaOp>(table, lowerMapa);
  add<NVVM::FenceProxyOp>(table, lowerFenceProxy);
  add<NVVM::FenceMbarrierInitOp>(table, lowerFenceMbarrierInit);
  add<NVVM::SetMaxRegisterOp>(table, lowerSetMaxRegister);
  add<NVVM::FenceScClusterOp>(table, lowerFenceMemory);
  add<NVVM::MembarOp>(table, lowerFenceMemory);
  add<NVVM::PrefetchOp>(table, erase);
  add<NVVM::GriddepcontrolOp>(table, lowerGriddepcontrol);
}
