//===- CompilerTest.cpp - from problems and modules to plans --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Compiler.h"
#include "conv/Compiler/SourceModule.h"
#include "conv/Reference/Reference.h"
#include "conv/Runtime/PlanFile.h"

#include <gtest/gtest.h>

using namespace convmlir;

static Problem problemOf(const std::string &text) {
  Result<Problem> problem = parseProblem(text);
  EXPECT_TRUE(static_cast<bool>(problem)) << text;
  return problem ? *problem : Problem();
}

static std::unique_ptr<SourceModule> moduleOf(const std::string &text) {
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromProblem(problemOf(text));
  EXPECT_TRUE(static_cast<bool>(source)) << text;
  return source ? std::move(*source) : nullptr;
}

static CompileOptions withoutTarget() {
  CompileOptions options;
  options.targetCode = false;
  return options;
}

/// Small integers that differ from place to place.
static std::vector<double> integers(int64_t count, int64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>((i * 7 + seed * 5 + i / 11) % 5 - 2));
  return values;
}

/// The IR of a problem means what the problem does.
TEST(SourceModule, meansTheProblem) {
  for (const char *text :
       {"forward n=2 c=6 h=4 w=5 k=4 r=3 s=2 pad=1 groups=2 type=f64",
        "forward n=1 c=3 w=7 k=4 s=3 type=f32 layout=nchw "
        "epilogue=bias,residual,relu",
        "forward c=2 d=2 h=3 w=3 k=3 t=1 r=2 s=2 type=s8 epilogue=relu",
        "dgrad n=2 c=3 h=5 w=6 k=4 r=3 s=3 stride=2 pad=1 type=f32",
        "wgrad n=2 c=3 h=5 w=6 k=4 r=3 s=3 stride=2 pad=1 type=f32",
        "forward c=3 h=4 w=4 k=5 r=1 s=1 type=bf16 epilogue=bias",
        "forward c=3 h=4 w=4 k=5 r=2 s=1 type=tf32 epilogue=relu",
        "forward c=3 h=4 w=4 k=5 r=1 s=1 type=s8 out-type=f32 "
        "epilogue=bias,residual"}) {
    Problem problem = problemOf(text);
    std::unique_ptr<SourceModule> source = moduleOf(text);
    std::vector<std::vector<double>> values;
    for (const TensorSpec &spec : problem.arguments())
      values.push_back(integers(spec.numElements(), values.size() + 1));
    ReferenceArguments<double> arguments(values.begin(), values.end());
    Result<std::vector<double>> expected =
        computeReference<double>(problem, arguments);
    ASSERT_TRUE(static_cast<bool>(expected)) << text;
    Result<std::vector<std::vector<double>>> found = source->evaluate(values);
    ASSERT_TRUE(static_cast<bool>(found)) << text << ": " << found.error();
    EXPECT_EQ(found->front(), *expected) << text;
  }
}

/// tf32 lies in memory as f32; the operation says how it is multiplied.
TEST(SourceModule, readsTF32Back) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=3 h=4 w=4 k=5 r=1 s=1 type=tf32");
  EXPECT_EQ(source->convolutions().front().type, "tf32");
  EXPECT_EQ(source->arguments().front().type, "tf32");
  EXPECT_EQ(source->results().front().type, "f32");
}

TEST(Compiler, plansHaveEveryBuffer) {
  std::string text = "forward n=2 c=20 h=7 w=9 k=33 r=3 s=3 stride=1 pad=1 "
                     "dilation=1 groups=1 type=f16 epilogue=bias,residual";
  std::unique_ptr<SourceModule> source = moduleOf(text);
  Result<Plan> plan = compile(*source, withoutTarget());
  ASSERT_TRUE(static_cast<bool>(plan)) << plan.error();
  EXPECT_EQ(plan->problem, text);
  EXPECT_EQ(plan->target, "sm_80");
  EXPECT_TRUE(plan->deterministic);
  std::vector<std::string> names;
  for (const PlanBuffer &buffer : plan->buffers)
    names.push_back(describe(buffer));
  EXPECT_EQ(names, (std::vector<std::string>{
                       "x (argument 0)", "w (argument 1)", "bias (argument 2)",
                       "residual (argument 3)", "y (result 0)"}));
  ASSERT_EQ(plan->launches.size(), 1u);
  EXPECT_GT(plan->launches[0].dynamicSharedBytes, 0);
  EXPECT_EQ(plan->launches[0].arguments.size(), 5u);
  ASSERT_EQ(plan->images.size(), 1u);
  EXPECT_EQ(plan->images[0].kind, ImageKind::Nvvm);
}

TEST(Compiler, plansSurviveTheirFile) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=8 h=4 w=4 k=8 r=1 s=1");
  Result<Plan> plan = compile(*source, withoutTarget());
  ASSERT_TRUE(static_cast<bool>(plan)) << plan.error();
  Result<Bytes> bytes = serialisePlan(*plan);
  ASSERT_TRUE(static_cast<bool>(bytes)) << bytes.error();
  Result<Plan> read = parsePlan(*bytes, "plan");
  ASSERT_TRUE(static_cast<bool>(read)) << read.error();
  EXPECT_EQ(read->launches[0].kernel, plan->launches[0].kernel);
  EXPECT_EQ(read->images[0].data, plan->images[0].data);
}

TEST(Compiler, emptyBatchLaunchesNothing) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward n=0 c=8 h=4 w=4 k=8 r=1 s=1");
  Result<Plan> plan = compile(*source, withoutTarget());
  ASSERT_TRUE(static_cast<bool>(plan)) << plan.error();
  EXPECT_TRUE(plan->launches.empty());
  EXPECT_TRUE(plan->images.empty());
}

TEST(Compiler, saysWhichScheduleCannotRun) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=8 h=4 w=4 k=8 r=1 s=1");
  CompileOptions options = withoutTarget();
  options.schedule = "tile=256x256x64 warps=4x4 stages=8";
  Result<Plan> plan = compile(*source, options);
  ASSERT_FALSE(static_cast<bool>(plan));
  EXPECT_NE(plan.error().find("shared memory"), std::string::npos);
}

TEST(Compiler, cubinNeedsPtxas) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=8 h=4 w=4 k=8 r=1 s=1");
  Result<Bytes> cubin = emitCubin(*source, CompileOptions());
  ASSERT_FALSE(static_cast<bool>(cubin));
  EXPECT_NE(cubin.error().find("ptxas"), std::string::npos);
}

TEST(Compiler, saysWhichStepItIsAt) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=8 h=4 w=4 k=8 r=1 s=1");
  CompileOptions options;
  options.target = "sm_80";
  std::string steps;
  options.onStep = [&](const std::string &name) { steps += name + "; "; };
  ASSERT_TRUE(emitModule(*source, Form::F8, options));
  EXPECT_EQ(steps, "lowering; ");
  for (auto emit : {emitLlvm, emitPtx}) {
    steps.clear();
    ASSERT_TRUE(emit(*source, options));
    EXPECT_EQ(steps, "lowering; generating PTX; ");
  }
}

TEST(Compiler, formsHaveNames) {
  EXPECT_EQ(parseForm("f0"), Form::F0);
  EXPECT_EQ(parseForm("f8"), Form::F8);
  EXPECT_FALSE(parseForm("f5"));
  EXPECT_FALSE(parseForm(""));
}
