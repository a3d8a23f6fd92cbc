//===- RoleRegisters.cpp - registers of warps with roles ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/RoleRegisters.h"

#include "conv/Schedule/Shape/KernelThreads.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using llvm::formatv;

/// Why warps cannot move registers so; empty if they can.
static std::string whyNoShift(ScheduleAttr schedule, int64_t producer,
                              int64_t consumer) {
  int64_t initial = getInitialRegisters(schedule);
  int64_t consumers = getNumConsumerWarpgroups(schedule);
  if (producer > initial || consumer < initial)
    return formatv("each thread begins with {0} registers, of which the "
                   "producer can give up some, and consumers get more",
                   initial);
  int64_t all = initial * (consumers + 1);
  if (int64_t wanted = producer + consumers * consumer; wanted > all)
    return formatv("a thread of each warpgroup has {0} registers together, but "
                   "there are {1}",
                   wanted, all);
  return "";
}

convmlir::Result<KernelPlan> conv::planRegisters(ScheduleAttr schedule,
                                                 const KernelPlan &given) {
  KernelPlan plan = given;
  if (!hasProducer(schedule)) {
    if (given.producerRegisters || given.consumerRegisters)
      return Error{"registers: only kernels with copy=tma have roles"};
    return plan;
  }
  if (!plan.producerRegisters)
    plan.producerRegisters = getProducerRegisters(schedule);
  if (!plan.consumerRegisters && shiftsRegisters(schedule))
    plan.consumerRegisters = getConsumerRegisters(schedule);
  if (!plan.consumerRegisters)
    return plan;
  std::string why =
      whyNoShift(schedule, *plan.producerRegisters, *plan.consumerRegisters);
  if (!why.empty())
    return Error{"registers: " + why};
  return plan;
}
