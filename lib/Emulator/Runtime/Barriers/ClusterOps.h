//===- ClusterOps.h - workgroups of a cluster together ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The barrier of a cluster, and addresses in another workgroup's shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_BARRIERS_CLUSTEROPS_H
#define CONV_LIB_EMULATOR_RUNTIME_BARRIERS_CLUSTEROPS_H

#include "Runtime/Machine/Machine.h"

namespace convmlir::emu {

/// `.aligned`: all lanes of a warp must execute it together. `relaxed`: it
/// orders memory accesses only after a fence.
struct ClusterBarrierSite : Site {
  bool aligned = false;
  bool relaxed = false;
};

void arriveAtCluster(Thread *thread, const Site *site, std::byte *mailbox);
void waitForCluster(Thread *thread, const Site *site, std::byte *mailbox);

/// The barrier waits for threads that have not exited: notes that one does.
void leaveClusterBarrier(Thread &thread);

/// Operands: address in the own workgroup's shared memory, i32 rank. Result:
/// the same place in the workgroup of that rank.
void mapToWorkgroup(Thread *thread, const Site *site, std::byte *mailbox);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_BARRIERS_CLUSTEROPS_H
