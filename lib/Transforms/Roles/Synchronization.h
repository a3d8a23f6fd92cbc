//===- Synchronization.h - what orders memory of threads --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_ROLES_SYNCHRONIZATION_H
#define CONV_LIB_TRANSFORMS_ROLES_SYNCHRONIZATION_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// Orders what the thread has read and written of shared memory before what the
/// asynchronous proxy (TMA, `wgmma`) does to it next.
Operation *emitProxyFence(OpBuilder &builder, Location loc);

/// Lets all lanes of a warp wait for each other.
Operation *emitWarpSync(OpBuilder &builder, Location loc);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_ROLES_SYNCHRONIZATION_H
