//===- LowerBarriers.cpp - barriers of a workgroup ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvvm.barrier in all its forms, nvvm.barrier0, nvvm.barrier.arrive, and the
// fences, which have nothing to do: emulated memory is sequentially consistent.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Barriers/BarrierOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

static emu::BarrierReduction reductionOf(NVVM::BarrierOp op) {
  if (!op.getReductionOp())
    return emu::BarrierReduction::None;
  switch (*op.getReductionOp()) {
  case NVVM::BarrierReduction::POPC:
    return emu::BarrierReduction::Count;
  case NVVM::BarrierReduction::AND:
    return emu::BarrierReduction::And;
  case NVVM::BarrierReduction::OR:
    return emu::BarrierReduction::Or;
  }
  llvm_unreachable("all reductions are listed");
}

static LogicalResult lowerBarrier(KernelLowering &lowering, Operation *op) {
  auto barrier = cast<NVVM::BarrierOp>(op);
  auto &site = lowering.newSite<emu::BarrierSite>(op);
  site.hasId = bool(barrier.getBarrierId());
  site.hasThreads = bool(barrier.getNumberOfThreads());
  site.reduction = reductionOf(barrier);
  return lowering.replaceWithCall(op, site, emu::barrier, op->getOperands());
}

static LogicalResult lowerBarrier0(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::BarrierSite>(op);
  return lowering.replaceWithCall(op, site, emu::barrier, {});
}

static LogicalResult lowerArrive(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::BarrierSite>(op);
  site.hasId = bool(cast<NVVM::BarrierArriveOp>(op).getBarrierId());
  site.hasThreads = true;
  site.arriveOnly = true;
  return lowering.replaceWithCall(op, site, emu::barrier, op->getOperands());
}

void mlir::conv::emulator::addBarrierOps(OpTable &table) {
  table[NVVM::BarrierOp::getOperationName()] = lowerBarrier;
  table[NVVM::Barrier0Op::getOperationName()] = lowerBarrier0;
  table[NVVM::BarrierArriveOp::getOperationName()] = lowerArrive;
}
