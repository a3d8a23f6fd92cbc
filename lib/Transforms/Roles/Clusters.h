//===- Clusters.h - workgroups that load together ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a workgroup is in its cluster (ClusterShape.h), and what it loads
// there.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_ROLES_CLUSTERS_H
#define CONV_LIB_TRANSFORMS_ROLES_CLUSTERS_H

#include "conv/Schedule/Shape/ClusterShape.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// Where a workgroup is in its cluster.
struct ClusterPlace {
  int64_t clusterM, clusterN;
  Value rankM, rankN;

  /// A tile that `parts` workgroups load together, each one part of its rows.
  /// One part: it is not shared, and there are no values.
  struct Share {
    int64_t parts = 1;
    Value part;       ///< That this workgroup loads.
    Value workgroups; ///< The bits of the ranks that get it.
  };
  Share getShare(OpBuilder &builder, Location loc, bool isA) const;

  /// The ranks of all workgroups with which it has a tile in common, its own
  /// among them.
  SmallVector<Value> getPeers(OpBuilder &builder, Location loc) const;
};

/// The place of the workgroup that executes this.
ClusterPlace emitClusterPlace(OpBuilder &builder, Location loc,
                              ScheduleAttr schedule);

/// A barrier of all threads of the cluster.
void emitClusterBarrier(OpBuilder &builder, Location loc);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_ROLES_CLUSTERS_H
