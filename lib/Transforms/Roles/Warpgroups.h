//===- Warpgroups.h - warps that take roles ---------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the roles of a kernel (KernelThreads.h) know themselves and meet.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_ROLES_WARPGROUPS_H
#define CONV_LIB_TRANSFORMS_ROLES_WARPGROUPS_H

#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// The number of the warpgroup that `thread` belongs to, in a form that says
/// that all lanes of a warp have the same: ptxas keeps what follows from it in
/// uniform registers, and sees that branches on it do not diverge.
Value emitWarpgroupIndex(OpBuilder &builder, Location loc, Value thread);

/// A barrier of all threads that multiply and store a tile, if that is one
/// team.
void emitConsumerBarrier(OpBuilder &builder, Location loc,
                         ScheduleAttr schedule);

/// A barrier of the threads of one consumer warpgroup, the one with this index.
void emitWarpgroupBarrier(OpBuilder &builder, Location loc, Value warpgroup);

/// Lets teams multiply in turn: a team waits at its own barrier, and arrives at
/// that of the next one. A team is one warpgroup, and has its index.
Value emitTurnBarrier(OpBuilder &builder, Location loc, Value team);
void emitTurnWait(OpBuilder &builder, Location loc, Value barrier);
void emitTurnArrival(OpBuilder &builder, Location loc, Value barrier);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_ROLES_WARPGROUPS_H
