//===- LowerWgmma.cpp - wgmma groups --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvvm.wgmma fences, groups and waits; the products are lowered by
// AccumulatorLowering.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Matrices/WgmmaOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

template <emu::Handler Handler>
static LogicalResult lowerStep(KernelLowering &lowering, Operation *op) {
  return lowering.replaceWithCall(op, lowering.newSite(op), Handler, {});
}

static LogicalResult lowerWait(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::WgmmaWaitSite>(op);
  site.pendingGroups = cast<NVVM::WgmmaWaitGroupSyncOp>(op).getGroup();
  return lowering.replaceWithCall(op, site, emu::waitForWgmma, {});
}

void mlir::conv::emulator::addWgmmaOps(OpTable &table) {
  table[NVVM::WgmmaFenceAlignedOp::getOperationName()] =
      lowerStep<emu::fenceWgmma>;
  table[NVVM::WgmmaGroupSyncAlignedOp::getOperationName()] =
      lowerStep<emu::commitWgmma>;
  table[NVVM::WgmmaWaitGroupSyncOp::getOperationName()] = lowerWait;
}
