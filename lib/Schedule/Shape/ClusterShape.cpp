//===- ClusterShape.cpp - workgroups of a cluster and a chip --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/ClusterShape.h"

using namespace mlir;
using namespace mlir::conv;

int64_t mlir::conv::getResidentWorkgroups(int64_t multiprocessors,
                                          int64_t clusterSize) {
  if (clusterSize == 1)
    return multiprocessors;
  // Of 132, cudaOccupancyMaxActiveClusters has room for 66 clusters of two on
  // an H200, for 30 of four and 15 of eight.
  constexpr int64_t pair = 2, unit = 8, unused = 12;
  if (clusterSize == pair)
    return std::max<int64_t>(multiprocessors / pair, 1) * pair;
  int64_t used = (multiprocessors - unused) / unit * unit;
  return std::max<int64_t>(used / clusterSize, 1) * clusterSize;
}

int64_t mlir::conv::getPersistentWorkgroups(ScheduleAttr schedule,
                                            const convmlir::ChipInfo &chip) {
  return getResidentWorkgroups(chip.multiprocessors,
                               schedule.getClusterSize()) *
         schedule.getResident();
}
