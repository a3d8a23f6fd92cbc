//===- CanImplementTest.cpp - the answer before a compilation -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Compiler.h"
#include "conv/Problem/RandomProblem.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

std::string whyNotCompiled(const Problem &problem,
                           const CompileOptions &options) {
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromProblem(problem);
  if (!source)
    return source.error();
  Result<Plan> plan = compile(**source, options);
  return plan ? "" : plan.error();
}

/// Compares the answer with what the compiler does; returns it.
std::string checkAnswer(const Problem &problem, CompileOptions options) {
  options.targetCode = false;
  Status answer = canImplement(problem, options);
  std::string why = answer ? "" : answer.error();
  EXPECT_EQ(why, whyNotCompiled(problem, options))
      << toString(problem) << " on " << options.target << " with '"
      << options.schedule << "'";
  return why;
}

Problem problemOf(const std::string &line) {
  Result<Problem> problem = parseProblem(line);
  EXPECT_TRUE(problem) << line << ": " << problem.error();
  return *problem;
}

TEST(CanImplement, refusesWhatTheCompilerRefuses) {
  const struct {
    const char *line, *target, *schedule, *why;
    std::optional<int64_t> maxWorkspace = std::nullopt;
  } cases[] = {
      {"forward c=4 h=4 w=4 k=4 r=1 s=1 type=e4m3", "sm_80", "",
       "e4m3 has a kernel from sm_89 on"},
      {"forward c=16 h=5 w=4 k=8 r=1 s=1", "sm_12", "", "unknown target"},
      {"forward c=16 h=5 w=4 k=8 r=1 s=1", "sm_80", "tile=256x256x64 stages=8",
       "bytes of shared memory"},
      {"forward c=16 h=5 w=4 k=8 r=1 s=1", "sm_80", "tile=1x2", "tile"},
      {"forward c=16 h=5 w=4 k=8 r=1 s=1", "sm_80", "colour=3", "colour"},
      {"forward c=16 h=5 w=4 k=8 r=1 s=1", "sm_80", "copy=tma", "copy=tma"},
      {"forward c=16 h=5 w=4 k=8 r=1 s=1 type=f32", "sm_90a", "mma=wgmma",
       "f32"},
      {"dgrad n=1 c=8 h=129 w=129 k=8 r=1 s=1 stride=129 type=f16", "sm_80", "",
       "stride phases"},
      {"forward c=16 h=5 w=4 k=8 r=1 s=1", "sm_90a", "split-k=99", "split-k"},
      {"wgrad n=8 c=64 h=14 w=14 k=64 r=3 s=3 pad=1", "sm_80", "split-k=4",
       "max-workspace=1000", 1000},
      {"forward n=4 c=3 h=9 w=9 k=16 r=3 s=3 layout=nchw", "sm_80", "",
       "max-workspace=0", 0}};
  for (const auto &refused : cases) {
    CompileOptions options;
    options.target = refused.target;
    options.schedule = refused.schedule;
    options.maxWorkspace = refused.maxWorkspace;
    std::string why = checkAnswer(problemOf(refused.line), options);
    EXPECT_NE(why.find(refused.why), std::string::npos)
        << refused.line << ": '" << why << "'";
  }
}

TEST(CanImplement, allowsWhatTheCompilerTakes) {
  CompileOptions options;
  for (const char *target : {"sm_80", "sm_90a"})
    for (const char *line :
         {"forward n=0 c=64 h=8 w=8 k=64 r=3 s=3 pad=1",
          "forward c=3 d=4 h=5 w=6 k=7 t=2 r=3 s=1 type=f64",
          "dgrad n=2 c=40 h=9 w=10 k=24 r=3 s=3 stride=2 pad=1 type=s8",
          "wgrad n=2 c=64 h=28 w=28 k=128 r=3 s=3 pad=1 layout=nchw",
          "forward n=2 c=64 h=14 w=14 k=64 r=3 s=3 groups=8 "
          "epilogue=bias,residual,silu"}) {
      options.target = target;
      EXPECT_EQ(checkAnswer(problemOf(line), options), "");
    }
}

TEST(CanImplement, agreesOnRandomProblems) {
  FuzzLimits limits;
  limits.kinds = {ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad};
  limits.spatialRanks = {1, 2, 3};
  limits.types = inputTypes();
  limits.layouts = {TensorLayout::NHWC, TensorLayout::NCHW};
  limits.outTypes = limits.groups = limits.epilogues = true;
  constexpr uint64_t problems = 24;
  for (uint64_t i = 0; i < problems; ++i) {
    CounterRng rng(/*seed=*/5, /*stream=*/i);
    CompileOptions options;
    options.target = rng.pick(supportedTargets());
    if (rng.oneIn(2))
      options.maxWorkspace = rng.uniform(0, 50000);
    checkAnswer(randomProblem(rng, limits), options);
  }
}

} // namespace
