//===- Synchronization.cpp - what orders memory of threads ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Synchronization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

Operation *conv::emitProxyFence(OpBuilder &builder, Location loc) {
  return NVVM::FenceProxyOp::create(
      builder, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

Operation *conv::emitWarpSync(OpBuilder &builder, Location loc) {
  Value allLanes =
      arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), -1);
  return NVVM::SyncWarpOp::create(builder, loc, allLanes);
}
