//===- ClusterShape.h - workgroups of a cluster and a chip ------*- C++ -*-===//
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

#ifndef CONV_SCHEDULE_SHAPE_CLUSTERSHAPE_H
#define CONV_SCHEDULE_SHAPE_CLUSTERSHAPE_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"

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
int64_t getPersistentWorkgroups(ScheduleAttr schedule,
                                const convmlir::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_SHAPE_CLUSTERSHAPE_H
