//===- LowerCopies.cpp - asynchronous copies ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvvm.cp.async.shared.global, its groups and waits.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Copies/CpAsyncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

static LogicalResult lowerCopy(KernelLowering &lowering, Operation *op) {
  auto copy = cast<NVVM::CpAsyncOp>(op);
  auto &site = lowering.newSite<emu::CpAsyncSite>(op);
  site.bytes = copy.getSize();
  site.hasSourceBytes = bool(copy.getCpSize());
  return lowering.replaceWithCall(op, site, emu::copyAsync, op->getOperands());
}

static LogicalResult lowerCommit(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite(op);
  return lowering.replaceWithCall(op, site, emu::commitCopies, {});
}

static LogicalResult lowerWait(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::CpAsyncWaitSite>(op);
  site.pendingGroups = cast<NVVM::CpAsyncWaitGroupOp>(op).getN();
  return lowering.replaceWithCall(op, site, emu::waitForCopies, {});
}

static LogicalResult lowerTrack(KernelLowering &lowering, Operation *op) {
  if (!cast<NVVM::CpAsyncMBarrierArriveOp>(op).getNoinc())
    return op->emitOpError("is not modelled without noinc");
  auto &site = lowering.newSite(op);
  return lowering.replaceWithCall(op, site, emu::trackCopies,
                                  op->getOperands());
}

void mlir::conv::emulator::addCopyOps(OpTable &table) {
  table[NVVM::CpAsyncOp::getOperationName()] = lowerCopy;
  table[NVVM::CpAsyncCommitGroupOp::getOperationName()] = lowerCommit;
  table[NVVM::CpAsyncWaitGroupOp::getOperationName()] = lowerWait;
  table[NVVM::CpAsyncMBarrierArriveOp::getOperationName()] = lowerTrack;
}
