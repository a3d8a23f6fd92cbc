//===- Clusters.cpp - workgroups that load together -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"

#include "Support/IndexMath.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv;

ClusterPlace mlir::conv::emitClusterPlace(OpBuilder &builder, Location loc,
                                          ScheduleAttr schedule) {
  IndexMath math(builder, loc);
  int64_t clusterM = getClusterM(schedule), clusterN = getClusterN(schedule);
  Value rank = gpu::ClusterBlockIdOp::create(builder, loc, gpu::Dimension::x);
  if (clusterM == 1)
    return {clusterM, clusterN, math.constant(0), rank};
  if (clusterN == 1)
    return {clusterM, clusterN, rank, math.constant(0)};
  return {clusterM, clusterN, math.div(rank, clusterN),
          math.rem(rank, clusterN)};
}

ClusterPlace::Share ClusterPlace::getShare(OpBuilder &builder, Location loc,
                                           bool isA) const {
  int64_t parts = isA ? clusterN : clusterM;
  if (parts == 1)
    return {};
  IndexMath math(builder, loc);
  int64_t distance = isA ? 1 : clusterN; // Between those with the same tile.
  int64_t bits = 0;
  for (int64_t i = 0; i < parts; ++i)
    bits |= int64_t(1) << i * distance;
  Value lowest = isA ? math.mul(rankM, clusterN) : rankN;
  Value workgroups =
      arith::ShLIOp::create(builder, loc, math.constant(bits), lowest);
  return {parts, isA ? rankN : rankM, workgroups};
}

/// Those of its row, then those of its column but itself, from itself on.
SmallVector<Value> ClusterPlace::getPeers(OpBuilder &builder,
                                          Location loc) const {
  IndexMath math(builder, loc);
  SmallVector<Value> ranks;
  for (int64_t n = 0; n < clusterN; ++n)
    ranks.push_back(math.add(math.mul(rankM, clusterN), n));
  for (int64_t i = 1; i < clusterM; ++i) {
    Value m = math.rem(math.add(rankM, i), clusterM);
    ranks.push_back(math.add(math.mul(m, clusterN), rankN));
  }
  return ranks;
}

void mlir::conv::emitClusterBarrier(OpBuilder &builder, Location loc) {
  NVVM::ClusterArriveOp::create(builder, loc, /*aligned=*/UnitAttr());
  NVVM::ClusterWaitOp::create(builder, loc, /*aligned=*/UnitAttr());
}
