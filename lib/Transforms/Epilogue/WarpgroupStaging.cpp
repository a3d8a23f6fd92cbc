//===- WarpgroupStaging.cpp - where warpgroups stage results --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpgroupStaging.h"
#include "Roles/Synchronization.h"
#include "Roles/Warpgroups.h"
#include "Support/TileChunks.h"
#include "conv/Schedule/Resources.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::conv;

Value conv::createStaging(TileDistribution &distribution, Location loc,
                          int64_t rows, int64_t columns, Type elementType) {
  Value warpgroup = distribution.getWarpgroup();
  OpBuilder entry(warpgroup.getContext());
  setInsertionPointAfter(entry, warpgroup);
  int64_t number = getNumConsumerWarpgroups(distribution.schedule);
  rows += getScratchRows(distribution.schedule);
  auto space = gpu::AddressSpaceAttr::get(entry.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({number, rows, columns}, elementType,
                              MemRefLayoutAttrInterface(), space);
  Value all = memref::AllocOp::create(entry, loc, type);
  SmallVector<OpFoldResult> offsets = {warpgroup, entry.getIndexAttr(0),
                                       entry.getIndexAttr(0)};
  SmallVector<OpFoldResult> sizes = {entry.getIndexAttr(1),
                                     entry.getIndexAttr(rows),
                                     entry.getIndexAttr(columns)};
  SmallVector<OpFoldResult> strides(3, entry.getIndexAttr(1));
  MemRefType partType = memref::SubViewOp::inferRankReducedResultType(
      {rows, columns}, type, offsets, sizes, strides);
  return memref::SubViewOp::create(entry, loc, partType, all, offsets, sizes,
                                   strides);
}

void conv::awaitStagedReads(OpBuilder &builder, Location loc,
                            TileDistribution &distribution) {
  NVVM::CpAsyncBulkWaitGroupOp::create(builder, loc, 0, builder.getUnitAttr());
  emitWarpgroupBarrier(builder, loc, distribution.getWarpgroup());
}

void conv::publishStaged(OpBuilder &builder, Location loc,
                         TileDistribution &distribution) {
  emitProxyFence(builder, loc);
  emitWarpgroupBarrier(builder, loc, distribution.getWarpgroup());
}

void conv::awaitStoresAtEnd(gpu::GPUFuncOp func) {
  OpBuilder builder(func.getBody().back().getTerminator());
  NVVM::CpAsyncBulkWaitGroupOp::create(builder, func.getLoc(), 0,
                                       /*read=*/UnitAttr());
}
