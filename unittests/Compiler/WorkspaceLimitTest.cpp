//===- WorkspaceLimitTest.cpp - plans that need little workspace ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Compiler.h"
#include "conv/Runtime/WorkspaceLayout.h"
#include "conv/Tuning/TuningRecords.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <unistd.h>

using namespace convmlir;

namespace {

/// With split gemm-k, even parts, transposed and padded copies, images that are
/// transposed, explicit matrices, a bias gradient, merged groups.
const char *const lines[] = {
    "wgrad n=64 c=64 h=28 w=28 k=64 r=3 s=3 pad=1 type=bf16",
    "wgrad n=16 c=64 h=14 w=14 k=64 r=3 s=3 pad=1 type=tf32",
    "wgrad n=16 c=64 h=14 w=14 k=64 r=3 s=3 pad=1 type=e4m3 out-type=f32",
    "wgrad n=32 c=3 h=28 w=28 k=64 r=7 s=7 stride=2 pad=3 type=f16",
    "wgrad n=8 c=32 h=9 w=9 k=32 r=3 s=3 groups=32 type=f32",
    "wgrad n=64 c=64 h=28 w=28 k=32 r=3 s=3 pad=1 type=bf16 epilogue=dbias",
    "forward n=4 c=3 h=14 w=15 k=64 r=3 s=3 pad=1 type=f16 layout=nchw",
    "forward n=1 c=512 h=7 w=7 k=512 r=3 s=3 pad=1 type=bf16",
    "forward n=2 c=64 h=14 w=14 k=64 r=3 s=3 pad=1 groups=8 type=bf16",
    "dgrad n=4 c=32 h=15 w=13 k=20 r=3 s=3 stride=2 pad=1 type=f16",
    "dgrad n=8 c=64 h=14 w=14 k=64 r=3 s=3 pad=1 type=s8"};

Result<Plan> compileLine(const std::string &line, CompileOptions options) {
  Result<Problem> problem = parseProblem(line);
  EXPECT_TRUE(problem) << line;
  options.targetCode = false;
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromProblem(*problem);
  EXPECT_TRUE(source) << line;
  return compile(**source, options);
}

CompileOptions withLimit(const std::string &target,
                         std::optional<int64_t> bytes) {
  CompileOptions options;
  options.target = target;
  options.maxWorkspace = bytes;
  return options;
}

int64_t workspaceOf(const Plan &plan) { return layOutWorkspace(plan).bytes; }

/// The two numbers of a refusal: what is needed, and how much more that is.
std::pair<int64_t, int64_t> numbersOf(const std::string &message) {
  static const std::regex form("need at least (\\d+) bytes of workspace, "
                               "(\\d+) more than max-workspace=");
  std::smatch match;
  EXPECT_TRUE(std::regex_search(message, match, form)) << message;
  return {std::stoll(match[1]), std::stoll(match[2])};
}

TEST(WorkspaceLimit, isKeptOrRefusedWithWhatIsNeeded) {
  for (const std::string line : lines) {
    SCOPED_TRACE(line);
    Result<Plan> any = compileLine(line, withLimit("sm_90a", std::nullopt));
    ASSERT_TRUE(any) << any.error();
    int64_t needed = workspaceOf(*any);
    // As much as it needs changes nothing.
    Result<Plan> same = compileLine(line, withLimit("sm_90a", needed));
    ASSERT_TRUE(same) << same.error();
    EXPECT_EQ(same->schedule, any->schedule);
    EXPECT_EQ(same->remarks, any->remarks);
    if (needed == 0)
      continue;
    int64_t limit = needed / 2;
    Result<Plan> less = compileLine(line, withLimit("sm_90a", limit));
    if (less) {
      EXPECT_LE(workspaceOf(*less), limit);
      continue;
    }
    auto [least, surplus] = numbersOf(less.error());
    EXPECT_EQ(least - limit, surplus);
    EXPECT_LE(least, needed);
    Result<Plan> smallest = compileLine(line, withLimit("sm_90a", least));
    ASSERT_TRUE(smallest) << smallest.error();
    EXPECT_EQ(workspaceOf(*smallest), least);
  }
}

TEST(WorkspaceLimit, saysWhatItRefuses) {
  Result<Plan> plan = compileLine(lines[0], withLimit("sm_90a", 0));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(workspaceOf(*plan), 0);
  ASSERT_EQ(plan->remarks.size(), 1u);
  EXPECT_EQ(plan->remarks.front().find("max-workspace=0 refuses the choice of "
                                       "schedules: the kernels would need "),
            0u)
      << plan->remarks.front();
}

TEST(WorkspaceLimit, forcedKeysStay) {
  CompileOptions options = withLimit("sm_90a", 300000);
  options.schedule = "split-k=4";
  // 4 parts of 64x3x3x64 f32.
  Result<Plan> refused = compileLine(lines[0], options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(),
            "with schedule 'split-k=4' the kernels need at least 589824 bytes "
            "of workspace, 289824 more than max-workspace=300000 allows");
  options.schedule = "split-k=2";
  Result<Plan> plan = compileLine(lines[0], options);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_NE(plan->schedule.find("split-k=2"), std::string::npos);
  // The tile is named, how often gemm-k is split is not.
  options.schedule = "tile=64x64x64";
  options.maxWorkspace = 0;
  plan = compileLine(lines[0], options);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_NE(plan->schedule.find("tile=64x64x64"), std::string::npos);
}

TEST(WorkspaceLimit, givenSchedulesStay) {
  Result<std::unique_ptr<SourceModule>> source = SourceModule::fromText(
      R"(
#s = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32],
  warps = [2, 2], stages = 3, copy = cp_async, mma = mma_sync, split = 4>
func.func @f(%x: tensor<2x9x9x128xf16>, %w: tensor<64x3x3x128xf16>,
             %e: tensor<2x7x7x64xf16>) -> tensor<2x7x7x64xf16> {
  %y = conv.forward ins(%x, %w : tensor<2x9x9x128xf16>, tensor<64x3x3x128xf16>)
    outs(%e : tensor<2x7x7x64xf16>) {conv.schedule = #s}
    -> tensor<2x7x7x64xf16>
  return %y : tensor<2x7x7x64xf16>
})",
      "f.mlir", "");
  ASSERT_TRUE(source) << source.error();
  CompileOptions options = withLimit("sm_80", 100000);
  options.targetCode = false;
  Result<Plan> plan = compile(**source, options);
  ASSERT_FALSE(plan);
  // 4 parts of 2x7x7x64 f32.
  EXPECT_NE(plan.error().find("with the schedules that are given the kernels "
                              "need at least 100352 bytes of workspace, 352 "
                              "more"),
            std::string::npos)
      << plan.error();
  options.maxWorkspace = 100352;
  EXPECT_TRUE(compile(**source, options));
}

/// Convolutions of a function share the limit: what lies between them counts.
TEST(WorkspaceLimit, isOfAWholeFunction) {
  Result<std::unique_ptr<SourceModule>> source = SourceModule::fromText(
      R"(
func.func @f(%x: tensor<1x7x7x512xf16>, %w: tensor<512x3x3x512xf16>,
             %e: tensor<1x7x7x512xf16>) -> tensor<1x7x7x512xf16> {
  %t = tensor.empty() : tensor<1x7x7x512xf16>
  %a = conv.forward ins(%x, %w : tensor<1x7x7x512xf16>, tensor<512x3x3x512xf16>)
    outs(%t : tensor<1x7x7x512xf16>) pad [1, 1]
    -> tensor<1x7x7x512xf16>
  %y = conv.forward ins(%a, %w : tensor<1x7x7x512xf16>, tensor<512x3x3x512xf16>)
    outs(%e : tensor<1x7x7x512xf16>) pad [1, 1]
    -> tensor<1x7x7x512xf16>
  return %y : tensor<1x7x7x512xf16>
})",
      "f.mlir", "");
  ASSERT_TRUE(source) << source.error();
  CompileOptions options = withLimit("sm_80", std::nullopt);
  options.targetCode = false;
  Result<Plan> any = compile(**source, options);
  ASSERT_TRUE(any) << any.error();
  constexpr int64_t between = 7 * 7 * 512 * 2;
  ASSERT_GT(workspaceOf(*any), 2 * between);
  options.maxWorkspace = between;
  Result<Plan> plan = compile(**source, options);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(workspaceOf(*plan), between);
  EXPECT_EQ(plan->remarks.size(), 1u);
  options.maxWorkspace = between - 1;
  plan = compile(**source, options);
  ASSERT_FALSE(plan);
  EXPECT_EQ(numbersOf(plan.error()).first, between);
}

/// A record whose schedule needs more is not used, and the caller is told so.
TEST(WorkspaceLimit, comesBeforeRecords) {
  std::string path = std::filesystem::temp_directory_path() /
                     ("workspace-limit-" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << R"({"format": "conv-mlir-tuning", "version": 1,
    "records": [{"problem": ")"
                      << lines[0] << R"(", "target": "sm_80",
    "schedule": "split-k=5", "median_us": 5, "device": "A", "date": "",
    "conv_mlir": ""}]})";
  Result<TuningRecords> records = loadTuningRecords({path, false, ""});
  std::filesystem::remove(path);
  ASSERT_TRUE(records) << records.error();
  CompileOptions options = withLimit("sm_80", std::nullopt);
  options.tuning = std::make_shared<TuningRecords>(std::move(*records));
  int used = 0;
  std::string warnings;
  options.onTuned = [&](const TuningMatch &) { ++used; };
  options.onWarning = [&](const std::string &text) { warnings += text; };
  Result<Plan> plan = compileLine(lines[0], options);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_NE(plan->schedule.find("split-k=5"), std::string::npos);
  EXPECT_EQ(used, 1);
  EXPECT_EQ(warnings, "");
  options.maxWorkspace = workspaceOf(*plan) - 1;
  plan = compileLine(lines[0], options);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_LE(workspaceOf(*plan), *options.maxWorkspace);
  EXPECT_EQ(used, 1);
  EXPECT_NE(warnings.find("for sm_80 is not used: its schedule needs more "
                          "workspace than is allowed"),
            std::string::npos)
      << warnings;
}

} // namespace
