//===- ClusterSetup.h - readying a cluster to run ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the objects of a worker's cluster, and resets them for each cluster of
// the grid.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MACHINE_CLUSTERSETUP_H
#define CONV_LIB_EMULATOR_RUNTIME_MACHINE_CLUSTERSETUP_H

#include "Machine.h"

namespace convmlir::emu {

/// Makes all objects that do not depend on which cluster is run.
Status buildCluster(Worker &worker);

/// Resets them and queues all threads of cluster number `index` of the grid.
void resetCluster(Worker &worker, uint64_t index);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MACHINE_CLUSTERSETUP_H
