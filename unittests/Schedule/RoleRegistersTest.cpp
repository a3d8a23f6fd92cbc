//===- RoleRegistersTest.cpp - registers of warps with roles --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/RoleRegisters.h"

#include "conv/Schedule/Shape/KernelThreads.h"

#include "mlir/AsmParser/AsmParser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

class RoleRegistersTest : public ::testing::Test {
protected:
  RoleRegistersTest() { context.loadDialect<ConvDialect>(); }

  /// Of TMA and wgmma, in tiles of 64 rows a warpgroup.
  ScheduleAttr read(const std::string &keys) {
    return cast<ScheduleAttr>(parseAttribute(
        "#conv.schedule<algorithm=implicit_gemm tile=128x64x64 stages=3 "
        "copy=tma mma=wgmma " +
            keys + ">",
        &context));
  }
  ScheduleAttr readThreads() {
    return cast<ScheduleAttr>(parseAttribute(
        "#conv.schedule<algorithm=implicit_gemm tile=64x64x32 warps=2x2 "
        "stages=3 copy=cp_async mma=mma_sync>",
        &context));
  }

  MLIRContext context;
};

KernelPlan getRegisters(std::optional<int64_t> producer,
                        std::optional<int64_t> consumer) {
  KernelPlan plan;
  plan.producerRegisters = producer;
  plan.consumerRegisters = consumer;
  return plan;
}

TEST_F(RoleRegistersTest, ConsumersGetWhatTheProducerGivesUp) {
  // 65536 registers are 168 for each of 384 threads: (3 * 168 - 40) / 2.
  auto plan = planRegisters(read("warps=8x1"), {});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(*plan, getRegisters(40, 232));
}

TEST_F(RoleRegistersTest, ThreadsThatGatherKeepMore) {
  auto plan = planRegisters(read("warps=8x1 gather=true"), {});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(*plan, getRegisters(152, 176));
}

/// A warpgroup alone has as many as it can use. Two workgroups share them.
TEST_F(RoleRegistersTest, OneConsumerGetsMoreWhereWorkgroupsShare) {
  auto alone = planRegisters(read("warps=4x1"), {});
  ASSERT_TRUE(alone) << alone.error();
  EXPECT_EQ(*alone, getRegisters(40, std::nullopt));
  auto two = planRegisters(read("warps=4x1 resident=2"), {});
  ASSERT_TRUE(two) << two.error();
  EXPECT_EQ(*two, getRegisters(40, 216));
}

TEST_F(RoleRegistersTest, WhatIsChosenIsThere) {
  for (const char *keys :
       {"warps=4x1 resident=2", "warps=8x1", "warps=8x1 gather=true",
        "warps=4x1 teams=2", "warps=8x1 window=true gather=true",
        "warps=4x1 resident=2 gather=true"}) {
    ScheduleAttr schedule = read(keys);
    auto plan = planRegisters(schedule, {});
    ASSERT_TRUE(plan) << keys << ": " << plan.error();
    ASSERT_TRUE(plan->producerRegisters && plan->consumerRegisters) << keys;
    int64_t consumers = getNumConsumerWarpgroups(schedule);
    EXPECT_LE(*plan->producerRegisters + consumers * *plan->consumerRegisters,
              getInitialRegisters(schedule) * (consumers + 1))
        << keys;
    // setmaxnreg takes no others.
    EXPECT_EQ(*plan->producerRegisters % 8, 0) << keys;
    EXPECT_EQ(*plan->consumerRegisters % 8, 0) << keys;
  }
}

TEST_F(RoleRegistersTest, WhatIsGivenStays) {
  auto both = planRegisters(read("warps=8x1"), getRegisters(56, 216));
  ASSERT_TRUE(both) << both.error();
  EXPECT_EQ(*both, getRegisters(56, 216));
  auto producer = planRegisters(read("warps=8x1"), getRegisters(24, {}));
  ASSERT_TRUE(producer) << producer.error();
  EXPECT_EQ(*producer, getRegisters(24, 232));
  KernelPlan others;
  others.left = OperandCopy::Tma;
  others.slots = 4;
  auto plan = planRegisters(read("warps=4x1"), others);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->left, others.left);
  EXPECT_EQ(plan->slots, others.slots);
}

TEST_F(RoleRegistersTest, MoreThanThereAreIsRefused) {
  EXPECT_EQ(planRegisters(read("warps=8x1"), getRegisters(40, 240)).error(),
            "registers: a thread of each warpgroup has 520 registers together, "
            "but there are 504");
  EXPECT_EQ(planRegisters(read("warps=8x1"), getRegisters(104, {})).error(),
            "registers: a thread of each warpgroup has 568 registers together, "
            "but there are 504");
}

TEST_F(RoleRegistersTest, OnlyTheProducerGivesUp) {
  std::string why = "registers: each thread begins with 168 registers, of "
                    "which the producer can give up some, and consumers get "
                    "more";
  EXPECT_EQ(planRegisters(read("warps=8x1"), getRegisters(176, 168)).error(),
            why);
  EXPECT_EQ(planRegisters(read("warps=8x1"), getRegisters(40, 160)).error(),
            why);
}

TEST_F(RoleRegistersTest, WarpsWithoutRolesHaveNone) {
  auto plan = planRegisters(readThreads(), {});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(*plan, KernelPlan());
  for (KernelPlan given : {getRegisters(40, {}), getRegisters({}, 232)})
    EXPECT_EQ(planRegisters(readThreads(), given).error(),
              "registers: only kernels with copy=tma have roles");
}

} // namespace
