//===- PlanTest.cpp - plans through the C API -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handle.h"
#include "conv-c/Problem.h"

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

using namespace convmlir::test;

namespace {

constexpr const char *line =
    "forward n=2 c=20 h=7 w=9 k=32 r=3 s=3 stride=1 pad=1 dilation=1 groups=1 "
    "type=f16 epilogue=bias";

TEST(CPlan, describesItself) {
  PlanHandle plan = compileForEmulator(line);
  convmlir_plan_info info = describe(plan);
  EXPECT_STREQ(info.problem, line);
  EXPECT_STREQ(info.target, "sm_80");
  EXPECT_STREQ(info.entry, "main");
  EXPECT_STREQ(info.operand_type, "f16");
  EXPECT_NE(std::string(info.schedule).find("tile="), std::string::npos);
  EXPECT_EQ(info.deterministic, 1);
  EXPECT_EQ(info.arguments, 3);
  EXPECT_EQ(info.operands, 4);
  EXPECT_EQ(info.workspace_bytes, 0);
  EXPECT_EQ(info.flops, 2LL * 2 * 7 * 9 * 32 * 20 * 9);
  int64_t x = 2 * 7 * 9 * 20 * 2, w = 32 * 9 * 20 * 2, y = 2 * 7 * 9 * 32 * 2;
  EXPECT_EQ(info.least_bytes, x + w + y + 32 * 4);
}

TEST(CPlan, tellsOrderAndRemarks) {
  PlanHandle plan = compileForEmulator(line);
  EXPECT_TRUE(
      std::string(describe(plan).order).starts_with("conv_forward_f16_"));
  EXPECT_STREQ(describe(plan).remarks, "");

  plan = compileForEmulator("dgrad n=1 c=20 h=5 w=6 k=32 r=3 s=3 stride=1 "
                            "pad=1 dilation=1 groups=1 type=f16",
                            "sm_90a");
  std::string remarks = describe(plan).remarks;
  EXPECT_TRUE(remarks.starts_with("runs on mma.sync with cp.async: "))
      << remarks;
}

TEST(CPlan, operandsAreArgumentsThenResults) {
  PlanHandle plan = compileForEmulator(line);
  std::string names;
  for (int32_t i = 0; i < 4; ++i) {
    convmlir_operand operand{};
    operand.size = sizeof operand;
    ASSERT_EQ(convmlir_plan_operand(plan.get(), i, &operand), CONVMLIR_OK);
    names += std::string(operand.name) + " ";
    EXPECT_EQ(operand.is_result, i == 3);
    if (i != 1)
      continue;
    EXPECT_EQ(std::vector<int64_t>(operand.shape, operand.shape + operand.rank),
              (std::vector<int64_t>{32, 3, 3, 20}));
    EXPECT_STREQ(operand.type, "f16");
    EXPECT_EQ(operand.bytes, 32 * 9 * 20 * 2);
  }
  EXPECT_EQ(names, "x w bias y ");
  convmlir_operand operand{};
  operand.size = sizeof operand;
  EXPECT_EQ(convmlir_plan_operand(plan.get(), 4, &operand), CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(),
               "operand 4 does not exist, the plan has 4");
}

TEST(CPlan, launches) {
  PlanHandle plan = compileForEmulator(line);
  convmlir_launch launch{};
  launch.size = sizeof launch;
  ASSERT_EQ(convmlir_plan_launch(plan.get(), 0, &launch), CONVMLIR_OK);
  EXPECT_GE(launch.grid[0], 1);
  EXPECT_EQ(launch.block[0] % 32, 0);
  EXPECT_GT(launch.dynamic_shared_bytes, 0);
  EXPECT_EQ(convmlir_plan_launch(plan.get(), -1, &launch), CONVMLIR_BAD_INPUT);
}

TEST(CPlan, survivesMemoryAndFile) {
  PlanHandle plan = compileForEmulator(line);
  void *data = nullptr;
  size_t size = 0;
  ASSERT_EQ(convmlir_plan_serialise(plan.get(), &data, &size), CONVMLIR_OK);
  convmlir_plan *parsed = nullptr;
  ASSERT_EQ(convmlir_plan_parse(data, size, &parsed), CONVMLIR_OK)
      << convmlir_last_error();
  PlanHandle fromMemory(parsed);
  EXPECT_STREQ(describe(fromMemory).problem, line);
  EXPECT_EQ(describe(fromMemory).flops, describe(plan).flops);

  static_cast<char *>(data)[size / 2] ^= 1;
  EXPECT_EQ(convmlir_plan_parse(data, size, &parsed), CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(),
               "plan: damaged: the checksum does not match");
  convmlir_free(data);

  std::string path = testing::TempDir() + "c-api-test.plan";
  ASSERT_EQ(convmlir_plan_write(plan.get(), path.c_str()), CONVMLIR_OK);
  convmlir_plan *read = nullptr;
  ASSERT_EQ(convmlir_plan_read(path.c_str(), &read), CONVMLIR_OK)
      << convmlir_last_error();
  EXPECT_STREQ(describe(PlanHandle(read)).problem, line);
  std::remove(path.c_str());
  EXPECT_EQ(convmlir_plan_read(path.c_str(), &read), CONVMLIR_BAD_INPUT);
  EXPECT_NE(std::string(convmlir_last_error()).find(path), std::string::npos);
}

TEST(CPlan, fillsNoMoreThanTheCallerHas) {
  PlanHandle plan = compileForEmulator(line);
  convmlir_plan_info info;
  std::memset(&info, 0x55, sizeof info);
  info.size = offsetof(convmlir_plan_info, entry);
  ASSERT_EQ(convmlir_plan_describe(plan.get(), &info), CONVMLIR_OK);
  EXPECT_STREQ(info.problem, line);
  EXPECT_EQ(info.flops, 0x5555555555555555);
  info.size = 0;
  EXPECT_EQ(convmlir_plan_describe(plan.get(), &info), CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(),
               "info: expected its size in the first member, got 0");
}

TEST(CPlan, noMemberIsFilledInPart) {
  PlanHandle plan = compileForEmulator(line);
  convmlir_plan_info info;
  std::memset(&info, 0x55, sizeof info);
  info.size = offsetof(convmlir_plan_info, entry) + 4;
  EXPECT_EQ(convmlir_plan_describe(plan.get(), &info), CONVMLIR_BAD_INPUT);
  EXPECT_EQ(std::string(convmlir_last_error()),
            "info: expected its size in the first member, got " +
                std::to_string(info.size));
  info.size = SIZE_MAX - 7; // Never set.
  EXPECT_EQ(convmlir_plan_describe(plan.get(), &info), CONVMLIR_BAD_INPUT);
}

TEST(CPlan, missingPointersAreNamed) {
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_plan_read(nullptr, &plan), CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(), "path: expected a pointer, got NULL");
  EXPECT_EQ(convmlir_plan_describe(nullptr, nullptr), CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(), "plan: expected a pointer, got NULL");
  convmlir_plan_destroy(nullptr);
}

TEST(CPlan, errorsBelongToTheirThread) {
  convmlir_problem problem{};
  problem.size = sizeof problem;
  EXPECT_EQ(convmlir_problem_parse("backward", &problem), CONVMLIR_BAD_INPUT);
  std::string mine = convmlir_last_error(), other = "unset";
  std::thread([&] { other = convmlir_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_EQ(convmlir_last_error(), mine);
}

TEST(CProblem, numbersOfALine) {
  convmlir_problem problem{};
  problem.size = sizeof problem;
  ASSERT_EQ(convmlir_problem_parse("dgrad n=2 c=6 h=8 w=9 k=4 r=3 s=2 "
                                   "stride=2x1 pad=1:0x2 groups=2 type=f16 "
                                   "out-type=f32",
                                   &problem),
            CONVMLIR_OK)
      << convmlir_last_error();
  EXPECT_EQ(problem.op, CONVMLIR_DGRAD);
  EXPECT_EQ(problem.spatial_rank, 2);
  EXPECT_EQ(problem.input[1], 9);
  EXPECT_EQ(problem.filter[0], 3);
  EXPECT_EQ(problem.output[0], 4);
  EXPECT_EQ(problem.output[1], 12);
  EXPECT_EQ(problem.stride[0], 2);
  EXPECT_EQ(problem.pad_low[0], 1);
  EXPECT_EQ(problem.pad_high[0], 0);
  EXPECT_EQ(problem.groups, 2);
  EXPECT_STREQ(problem.type, "f16");
  EXPECT_STREQ(problem.out_type, "f32");
  EXPECT_EQ(problem.channels_last, 1);
  EXPECT_EQ(problem.flops, 2LL * 2 * 4 * 12 * 4 * 3 * 6);
  EXPECT_EQ(problem.tolerance, 1e-5);
  EXPECT_STREQ(problem.activation, "");
}

TEST(CProblem, epilogueOfALine) {
  convmlir_problem problem{};
  problem.size = sizeof problem;
  ASSERT_EQ(convmlir_problem_parse("forward c=8 w=9 k=8 s=1 "
                                   "epilogue=clip:-1:6.5,scale",
                                   &problem),
            CONVMLIR_OK)
      << convmlir_last_error();
  EXPECT_EQ(problem.scale, 1);
  EXPECT_EQ(problem.bias, 0);
  EXPECT_EQ(problem.relu, 0);
  EXPECT_STREQ(problem.activation, "clip");
  EXPECT_EQ(problem.clip_low, -1);
  EXPECT_EQ(problem.clip_high, 6.5);
  EXPECT_EQ(problem.derivative, 0);
  EXPECT_STREQ(problem.bias_type, "f32");
  ASSERT_EQ(convmlir_problem_parse("wgrad c=8 w=9 k=8 s=1 epilogue=dbias "
                                   "bias-type=bf16",
                                   &problem),
            CONVMLIR_OK)
      << convmlir_last_error();
  EXPECT_STREQ(problem.bias_type, "bf16");
  EXPECT_STREQ(problem.second_type, "bf16");
  ASSERT_EQ(convmlir_problem_parse(
                "dgrad c=8 w=9 k=8 s=1 type=e5m2 second-type=e4m3", &problem),
            CONVMLIR_OK)
      << convmlir_last_error();
  EXPECT_STREQ(problem.type, "e5m2");
  EXPECT_STREQ(problem.second_type, "e4m3");
  ASSERT_EQ(
      convmlir_problem_parse("dgrad c=8 w=9 k=8 s=1 epilogue=drelu", &problem),
      CONVMLIR_OK)
      << convmlir_last_error();
  EXPECT_STREQ(problem.activation, "relu");
  EXPECT_EQ(problem.derivative, 1);
  EXPECT_EQ(problem.bias_gradient, 0);
  EXPECT_EQ(problem.relu, 0);
}

} // namespace
