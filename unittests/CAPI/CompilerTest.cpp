//===- CompilerTest.cpp - compilation through the C API -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handle.h"

#include <cstring>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace convmlir::test;

namespace {

constexpr const char *line = "forward c=16 h=5 w=4 k=8 r=1 s=1 type=bf16";

std::string compileError(const char *problem,
                         const convmlir_compile_options *options) {
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_compile_problem(problem, options, &plan),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(plan, nullptr);
  return convmlir_last_error();
}

TEST(CCompiler, knowsItsTargets) {
  EXPECT_EQ(std::string(convmlir_targets()).substr(0, 14), "sm_80, sm_86, ");
  EXPECT_STRNE(convmlir_version(), "");
}

TEST(CCompiler, defaultsAreTheNewestTargetAndPtx) {
  convmlir_plan *plan = nullptr;
  ASSERT_EQ(convmlir_compile_problem(line, nullptr, &plan), CONVMLIR_OK)
      << convmlir_last_error();
  PlanHandle owner(plan);
  std::string targets = convmlir_targets();
  EXPECT_EQ(describe(owner).target,
            targets.substr(targets.find_last_of(' ') + 1));
  convmlir_launch launch{};
  launch.size = sizeof launch;
  ASSERT_EQ(convmlir_plan_launch(plan, 0, &launch), CONVMLIR_OK);
  EXPECT_EQ(launch.registers, 0);
}

TEST(CCompiler, schedulesAreForcedOrRefused) {
  convmlir_compile_options options{};
  options.size = sizeof options;
  options.target = "sm_80";
  options.schedule = "tile=32x32x32 warps=1x1 stages=2";
  options.emulator_only = 1;
  convmlir_plan *plan = nullptr;
  ASSERT_EQ(convmlir_compile_problem(line, &options, &plan), CONVMLIR_OK)
      << convmlir_last_error();
  PlanHandle owner(plan);
  EXPECT_NE(std::string(describe(owner).schedule).find("tile=32x32x32"),
            std::string::npos);
  options.schedule = "tile=256x256x64 warps=4x4 stages=8";
  EXPECT_NE(compileError(line, &options).find("shared memory"),
            std::string::npos);
}

TEST(CCompiler, refusesWithASentence) {
  convmlir_compile_options options{};
  options.size = sizeof options;
  options.target = "sm_12";
  EXPECT_NE(compileError(line, &options).find("sm_12"), std::string::npos);
  options.target = nullptr;
  EXPECT_NE(compileError("forward c=16", &options).find("k"),
            std::string::npos);
  options.target = "sm_80";
  EXPECT_NE(compileError("forward c=4 h=4 w=4 k=4 r=1 s=1 type=e4m3", &options)
                .find("e4m3 has a kernel from sm_89 on, not on sm_80"),
            std::string::npos);
  options.target = nullptr;
  options.size = 1;
  EXPECT_EQ(compileError(line, &options),
            "options: expected its size in the first member, got 1");
}

TEST(CCompiler, workspaceHasALimit) {
  const char *wgrad = "wgrad n=64 c=32 h=9 w=10 k=32 r=3 s=3 type=f16";
  int64_t most = 100000;
  convmlir_compile_options options{};
  options.size = sizeof options;
  options.target = "sm_80";
  options.emulator_only = 1;
  options.max_workspace = &most;
  convmlir_plan *plan = nullptr;
  ASSERT_EQ(convmlir_compile_problem(wgrad, &options, &plan), CONVMLIR_OK)
      << convmlir_last_error();
  PlanHandle owner(plan);
  EXPECT_GT(describe(owner).workspace_bytes, 0);
  EXPECT_LE(describe(owner).workspace_bytes, most);
  options.schedule = "split-k=4";
  EXPECT_EQ(compileError(wgrad, &options),
            "with schedule 'split-k=4' the kernels need at least 147456 bytes "
            "of workspace, 47456 more than max-workspace=100000 allows");
  most = -1;
  EXPECT_EQ(compileError(wgrad, &options),
            "max_workspace: expected at least 0 bytes, got -1");
}

TEST(CCompiler, answersWithoutCompiling) {
  convmlir_compile_options options{};
  options.size = sizeof options;
  options.target = "sm_80";
  char *why = nullptr;
  ASSERT_EQ(convmlir_can_implement(line, &options, &why), CONVMLIR_OK);
  EXPECT_EQ(why, nullptr);
  for (const char *bad : {"forward c=4 h=4 w=4 k=4 r=1 s=1 type=e4m3",
                          "forward c=16", "forward c=8 h=4 w=4 k=8 r=5 s=1"}) {
    ASSERT_EQ(convmlir_can_implement(bad, &options, &why), CONVMLIR_OK);
    ASSERT_NE(why, nullptr) << bad;
    EXPECT_EQ(why, compileError(bad, &options));
    convmlir_free(why);
  }
  options.size = 1;
  ASSERT_EQ(convmlir_can_implement(line, &options, &why), CONVMLIR_OK);
  EXPECT_STREQ(why, "options: expected its size in the first member, got 1");
  convmlir_free(why);
  EXPECT_EQ(convmlir_can_implement(nullptr, &options, &why),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(convmlir_can_implement(line, &options, nullptr),
            CONVMLIR_BAD_INPUT);
}

TEST(CCompiler, optionsOfOtherVersions) {
  struct {
    convmlir_compile_options known;
    void *later = nullptr;
  } options{};
  options.known.size = sizeof options;
  options.known.target = "sm_80";
  options.known.emulator_only = 1;
  convmlir_plan *plan = nullptr;
  ASSERT_EQ(convmlir_compile_problem(line, &options.known, &plan), CONVMLIR_OK)
      << convmlir_last_error();
  convmlir_plan_destroy(plan);
  plan = nullptr;
  // An option that nobody would honour.
  options.later = &options;
  EXPECT_NE(compileError(line, &options.known).find("is not zero"),
            std::string::npos);
  // Half of the pointer to a schedule.
  options.later = nullptr;
  options.known.size = offsetof(convmlir_compile_options, schedule) + 4;
  options.known.schedule = "tile=32x32x32";
  EXPECT_EQ(compileError(line, &options.known),
            "options: expected its size in the first member, got 20");
  options.known.size = offsetof(convmlir_compile_options, schedule);
  ASSERT_EQ(convmlir_compile_problem(line, &options.known, &plan), CONVMLIR_OK)
      << convmlir_last_error();
  convmlir_plan_destroy(plan);
}

TEST(CCompiler, modulesInMemory) {
  const std::string text = R"(
func.func @layer(%x: tensor<1x5x4x16xf16>, %w: tensor<8x1x1x16xf16>)
    -> tensor<1x5x4x8xf32> {
  %e = tensor.empty() : tensor<1x5x4x8xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x4x8xf32>)
      -> tensor<1x5x4x8xf32>
  %y = linalg.conv_2d_nhwc_fhwc
      ins(%x, %w : tensor<1x5x4x16xf16>, tensor<8x1x1x16xf16>)
      outs(%i : tensor<1x5x4x8xf32>) -> tensor<1x5x4x8xf32>
  return %y : tensor<1x5x4x8xf32>
})";
  convmlir_compile_options options{};
  options.size = sizeof options;
  options.emulator_only = 1;
  convmlir_plan *plan = nullptr;
  ASSERT_EQ(convmlir_compile_module(text.data(), text.size(), "layer.mlir",
                                    &options, &plan),
            CONVMLIR_OK)
      << convmlir_last_error();
  PlanHandle owner(plan);
  convmlir_plan_info info = describe(owner);
  EXPECT_STREQ(info.problem, "@layer of layer.mlir: 1 convolution");
  EXPECT_EQ(info.flops, 2 * 20 * 8 * 16);
  EXPECT_EQ(info.least_bytes, 20 * 16 * 2 + 8 * 16 * 2 + 20 * 8 * 4);
  EXPECT_STREQ(info.operand_type, "f16");

  options.entry = "other";
  EXPECT_EQ(convmlir_compile_module(text.data(), text.size(), "layer.mlir",
                                    &options, &plan),
            CONVMLIR_BAD_INPUT);
  EXPECT_NE(std::string(convmlir_last_error()).find("@other"),
            std::string::npos);
  EXPECT_EQ(convmlir_compile_module("func", 4, "bad.mlir", &options, &plan),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(std::string(convmlir_last_error()).find("bad.mlir:1:1: "), 0u);
}

/// MLIR's lexer reads the byte behind a text. Here there is none.
TEST(CCompiler, readsNothingBehindModules) {
  std::string_view text = "func";
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  char *end = static_cast<char *>(pages) + page;
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  std::memcpy(end - text.size(), text.data(), text.size());
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_compile_module(end - text.size(), text.size(), "edge.mlir",
                                    nullptr, &plan),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(std::string(convmlir_last_error()).find("edge.mlir:1:1: "), 0u)
      << convmlir_last_error();
  munmap(pages, 2 * page);
}

/// What the message of a module that cannot be compiled is.
std::string moduleError(const std::string &text) {
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_compile_module(text.data(), text.size(), "given.mlir",
                                    nullptr, &plan),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(plan, nullptr);
  return convmlir_last_error();
}

/// Text that ends MLIR's parser by a signal
/// (test/Upstream/permutation-comma.mlir).
constexpr const char *fatalText =
    "func.func @f(%x: tensor<3x4xf32>, %e: tensor<4x3xf32>) -> "
    "tensor<4x3xf32> {\n"
    "  %t = linalg.transpose ins(%x : tensor<3x4xf32>) "
    "outs(%e : tensor<4x3xf32>) permutation = [1 0]\n"
    "  return %t : tensor<4x3xf32>\n}\n";

TEST(CCompiler, survivesTheParser) {
  std::string message = moduleError(fatalText);
  EXPECT_EQ(message.find("given.mlir: MLIR's parser fails on this text ("), 0u)
      << message;
}

TEST(CCompiler, survivesTheParserInThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> messages(6);
  for (std::string &message : messages)
    threads.emplace_back([&message] {
      compileForEmulator(line);
      message = moduleError(fatalText);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &message : messages)
    EXPECT_NE(message.find("fault of MLIR"), std::string::npos) << message;
}

TEST(CCompiler, refusesDeepNesting) {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += "module {\n";
  EXPECT_EQ(moduleError(text).find("given.mlir:257:8: expected brackets"), 0u)
      << convmlir_last_error();
}

TEST(CCompiler, compilesInThreads) {
  std::vector<std::thread> threads;
  std::vector<PlanHandle> plans(4);
  for (PlanHandle &plan : plans)
    threads.emplace_back([&plan] { plan = compileForEmulator(line); });
  for (std::thread &thread : threads)
    thread.join();
  for (const PlanHandle &plan : plans)
    EXPECT_STREQ(describe(plan).schedule, describe(plans[0]).schedule);
}

TEST(CCompiler, findsPtxas) {
  char *path = nullptr;
  EXPECT_EQ(convmlir_find_ptxas("/nowhere", nullptr, nullptr, &path),
            CONVMLIR_BAD_INPUT);
  EXPECT_NE(std::string(convmlir_last_error()).find("/nowhere"),
            std::string::npos);
}

TEST(CEmulator, faultsAndWrongCounts) {
  PlanHandle plan = compileForEmulator(line);
  std::vector<uint16_t> x(5 * 4 * 16), w(8 * 16), y(5 * 4 * 8);
  void *operands[] = {x.data(), w.data(), y.data()};
  EXPECT_EQ(convmlir_emulate(plan.get(), operands, 2), CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(), "expected 3 operands, got 2");
  operands[1] = nullptr;
  EXPECT_EQ(convmlir_emulate(plan.get(), operands, 3), CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(),
               "operands[1]: expected a pointer, got NULL");
}

} // namespace
