//===- Warpgroups.cpp - warps that take roles -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warpgroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::conv;

static Value constant32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                      value);
}

Value mlir::conv::emitWarpgroupIndex(OpBuilder &builder, Location loc,
                                     Value thread) {
  Value size = arith::ConstantIndexOp::create(builder, loc, kWarpgroupSize);
  Value index = arith::DivUIOp::create(builder, loc, thread, size);
  Type i32 = builder.getI32Type();
  index = arith::IndexCastOp::create(builder, loc, i32, index);
  index = NVVM::ShflOp::create(builder, loc, i32, constant32(builder, loc, -1),
                               index, constant32(builder, loc, 0),
                               constant32(builder, loc, kWarpSize - 1),
                               NVVM::ShflKind::idx, UnitAttr());
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    index);
}

/// The roles meet at barrier 0 only before they part. Warpgroup w has the
/// barrier w after the first of warpgroups, and team t the one t after the
/// first of teams.
static constexpr int64_t kConsumerBarrier = 1, kFirstWarpgroupBarrier = 2,
                         kFirstTeamBarrier = 5;

void mlir::conv::emitConsumerBarrier(OpBuilder &builder, Location loc,
                                     ScheduleAttr schedule) {
  if (!hasProducer(schedule)) {
    gpu::BarrierOp::create(builder, loc);
    return;
  }
  NVVM::BarrierOp::create(builder, loc, TypeRange(),
                          constant32(builder, loc, kConsumerBarrier),
                          constant32(builder, loc, schedule.getThreads()),
                          /*reductionOp=*/{}, /*reductionPredicate=*/Value());
}

/// The barrier that is `index` after the first.
static Value getBarrier(OpBuilder &builder, Location loc, int64_t first,
                        Value index) {
  index = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
  return arith::AddIOp::create(builder, loc, index,
                               constant32(builder, loc, first));
}

void mlir::conv::emitWarpgroupBarrier(OpBuilder &builder, Location loc,
                                      Value warpgroup) {
  Value id = getBarrier(builder, loc, kFirstWarpgroupBarrier, warpgroup);
  NVVM::BarrierOp::create(builder, loc, TypeRange(), id,
                          constant32(builder, loc, kWarpgroupSize),
                          /*reductionOp=*/{}, /*reductionPredicate=*/Value());
}

Value mlir::conv::emitTurnBarrier(OpBuilder &builder, Location loc,
                                  Value team) {
  return getBarrier(builder, loc, kFirstTeamBarrier, team);
}

void mlir::conv::emitTurnWait(OpBuilder &builder, Location loc, Value barrier) {
  NVVM::BarrierOp::create(builder, loc, TypeRange(), barrier,
                          constant32(builder, loc, 2 * kWarpgroupSize),
                          /*reductionOp=*/{}, /*reductionPredicate=*/Value());
}

void mlir::conv::emitTurnArrival(OpBuilder &builder, Location loc,
                                 Value barrier) {
  NVVM::BarrierArriveOp::create(builder, loc, barrier,
                                constant32(builder, loc, 2 * kWarpgroupSize));
}
