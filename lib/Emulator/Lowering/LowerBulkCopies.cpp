//===- LowerBulkCopies.cpp - bulk tensor copies ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvvm.cp.async.bulk.*: see Runtime/BulkLoads.h and Runtime/BulkStores.h.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Runtime/Copies/BulkLoads.h"
#include "Runtime/Copies/BulkStores.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv::emulator;

static LogicalResult lowerLoad(KernelLowering &lowering, Operation *op) {
  auto load = cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op);
  bool isIm2col = load.getMode() == NVVM::TMALoadMode::IM2COL;
  if ((!isIm2col && load.getMode() != NVVM::TMALoadMode::TILE) ||
      load.getGroup())
    return op->emitOpError("is emulated in tile and im2col mode only");
  auto &site = lowering.newSite<emu::BulkLoadSite>(op);
  site.rank = load.getCoordinates().size();
  site.isIm2col = isIm2col;
  site.offsets = load.getIm2colOffsets().size();
  site.hasMask = bool(load.getMulticastMask());
  site.hasPredicate = bool(load.getPredicate());
  // The cache hint changes nothing.
  SmallVector<Value> operands{load.getDstMem(), load.getTmaDescriptor(),
                              load.getMbar()};
  llvm::append_range(operands, load.getCoordinates());
  llvm::append_range(operands, load.getIm2colOffsets());
  for (Value optional : {load.getMulticastMask(), load.getPredicate()})
    if (optional)
      operands.push_back(optional);
  return lowering.replaceWithCall(op, site, emu::loadBulk, operands);
}

static LogicalResult lowerStore(KernelLowering &lowering, Operation *op) {
  auto store = cast<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(op);
  bool isIm2col = store.getMode() == NVVM::TMAStoreMode::IM2COL;
  if (!isIm2col && store.getMode() != NVVM::TMAStoreMode::TILE)
    return op->emitOpError("is emulated in tile and im2col mode only");
  auto &site = lowering.newSite<emu::BulkStoreSite>(op);
  site.rank = store.getCoordinates().size();
  site.isIm2col = isIm2col;
  site.hasPredicate = bool(store.getPredicate());
  SmallVector<Value> operands{store.getTmaDescriptor(), store.getSrcMem()};
  llvm::append_range(operands, store.getCoordinates());
  if (site.hasPredicate)
    operands.push_back(store.getPredicate());
  return lowering.replaceWithCall(op, site, emu::storeBulk, operands);
}

static LogicalResult lowerCommit(KernelLowering &lowering, Operation *op) {
  return lowering.replaceWithCall(op, lowering.newSite(op), emu::commitBulk,
                                  {});
}

/// A wait for reads only ends the stores, too: nobody in the kernel can tell.
static LogicalResult lowerWait(KernelLowering &lowering, Operation *op) {
  auto &site = lowering.newSite<emu::BulkWaitSite>(op);
  site.pendingGroups = cast<NVVM::CpAsyncBulkWaitGroupOp>(op).getGroup();
  return lowering.replaceWithCall(op, site, emu::waitForBulk, {});
}

static LogicalResult erasePrefetch(KernelLowering &, Operation *op) {
  op->erase();
  return success();
}

template <typename Op> static void add(OpTable &table, LowerOp lower) {
  table[Op::getOperationName()] = lower;
}

void mlir::conv::emulator::addBulkCopyOps(OpTable &table) {
  add<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(table, lowerLoad);
  add<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(table, lowerStore);
  add<NVVM::CpAsyncBulkCommitGroupOp>(table, lowerCommit);
  add<NVVM::CpAsyncBulkWaitGroupOp>(table, lowerWait);
  add<NVVM::CpAsyncBulkTensorPrefetchOp>(table, erasePrefetch);
}
