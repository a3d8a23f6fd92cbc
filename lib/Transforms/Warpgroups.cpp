//===- Warpgroups.cpp - warps that take roles -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//

#include "Warpgroups.h"

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/SwappedOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kRegisterGranularity = 8;

int64_t mlir::conv::getInitialRegisters(ScheduleAttr schedule) {
  int64_t threads = getNumThreads(schedule) * schedule.getResident();
  return std::min<int64_t>(
      convmlir::kMostThreadRegisters,
      llvm::alignDown(convmlir::getFullestChip().registersPerSM / threads,
                      kRegisterGranularity));
}

int64_t mlir::conv::getProducerRegisters(ScheduleAttr schedule) {
  constexpr int64_t copies = 40, gathers = 152, transposes = 128, least = 104;
  // Of images that are joined, or taken into registers by the consumers.
  bool copiesImages = swapsOperands(schedule) &&
                      (!schedule.getWindow() || readsImageTaps(schedule));
  if (!schedule.getGather() || copiesImages)
    return copies;
  bool isWide =
      getNumConsumerWarpgroups(schedule) <= 2 && schedule.getResident() == 1;
  // Windows are transposed from shared memory.
  return !isWide ? least : schedule.getWindow() ? transposes : gathers;
}

bool mlir::conv::shiftsRegisters(ScheduleAttr schedule) {
  return (getNumConsumerWarpgroups(schedule) > 1 ||
          schedule.getResident() > 1) &&
         getProducerRegisters(schedule) < getInitialRegisters(schedule);
}

/// Source: PTX ISA, "setmaxnreg": multiples of 8, of which 240 can be asked for
/// beside a producer.
int64_t mlir::conv::getConsumerRegisters(ScheduleAttr schedule) {
  constexpr int64_t most = 240;
  int64_t consumers = getNumConsumerWarpgroups(schedule);
  if (schedule.getGather() && !shiftsRegisters(schedule))
    return getInitialRegisters(schedule);
  int64_t pool = getInitialRegisters(schedule) * (consumers + 1) -
                 getProducerRegisters(schedule);
  return std::min<int64_t>(
      most, llvm::alignDown(pool / consumers, kRegisterGranularity));
}

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
