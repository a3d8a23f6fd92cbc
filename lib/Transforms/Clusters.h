//===- Clusters.h - workgroups that load together ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cluster of a schedule is CM x CN workgroups whose tiles are neighbours
// along gemm-m and gemm-n. Workgroups of one row of the cluster have the same
// tile of A, those of one column the same tile of B. Ranks count along gemm-n
// first.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_CLUSTERS_H
#define CONV_LIB_TRANSFORMS_CLUSTERS_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// Workgroups along gemm-m and along gemm-n; 1 without clusters.
inline int64_t getClusterM(ScheduleAttr schedule) {
  return schedule.getCluster().empty() ? 1 : schedule.getCluster()[0];
}
inline int64_t getClusterN(ScheduleAttr schedule) {
  return schedule.getCluster().empty() ? 1 : schedule.getCluster()[1];
}

/// Workgroups of the largest cluster that a schedule can ask for.
inline constexpr int64_t kMaxClusterSize = 4;

/// How many workgroups, one on each multiprocessor, run at the same time in
/// clusters of this size: whole clusters only. A cluster is on one graphics
/// processing cluster; these have an even number of multiprocessors, and one
/// may have few.
int64_t getResidentWorkgroups(int64_t multiprocessors, int64_t clusterSize);

/// Workgroups of a kernel whose warps have roles: each takes every tile that is
/// a multiple of their number away. They are whole clusters.
int64_t getPersistentWorkgroups(ScheduleAttr schedule);

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

#endif // CONV_LIB_TRANSFORMS_CLUSTERS_H
