//===- TuningTest.cpp - candidates, and schedules from records ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Tuning.h"
#include "conv/Compiler/Compiler.h"
#include "conv/Problem/RandomProblem.h"
#include "conv/Tuning/TuningRecords.h"

#include "FakeCubin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace convmlir;

namespace {

const char *const layer = "forward n=2 c=64 h=15 w=14 k=96 r=3 s=3 pad=1";

Problem problemOf(const std::string &line) {
  Result<Problem> problem = parseProblem(line);
  EXPECT_TRUE(problem) << problem.error();
  return *problem;
}

std::vector<std::string> candidates(const std::string &line,
                                    const std::string &target, size_t count) {
  Result<std::vector<std::string>> found =
      candidateSchedules(problemOf(line), target, count);
  EXPECT_TRUE(found) << found.error();
  return *found;
}

size_t countOf(const std::vector<std::string> &texts, const std::string &part) {
  return static_cast<size_t>(
      std::ranges::count_if(texts, [&](const std::string &text) {
        return text.find(part) != std::string::npos;
      }));
}

std::unique_ptr<SourceModule> moduleOf(const std::string &text) {
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromText(text, "test.mlir", "");
  EXPECT_TRUE(source) << source.error();
  return std::move(*source);
}

/// The schedules of form F1 as IR.
std::string scheduled(const SourceModule &source,
                      const CompileOptions &options) {
  Result<std::string> text = emitModule(source, Form::F1, options);
  EXPECT_TRUE(text) << text.error();
  return *text;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

TEST(TuningCandidates, mayBeNoneForAnEmptyResult) {
  // What divides tiles among multiprocessors finds none.
  for (const char *target : {"sm_80", "sm_90a"})
    EXPECT_LE(
        candidates("forward n=0 c=64 h=8 w=8 k=64 r=3 s=3 pad=1", target, 8)
            .size(),
        8u);
}

TEST(TuningCandidates, theFirstIsTheChoice) {
  for (const char *line :
       {"forward n=2 c=64 h=15 w=14 k=96 r=3 s=3 pad=1",
        "forward c=3 h=33 w=31 k=20 r=3 s=3",
        "dgrad n=2 c=40 h=9 w=10 k=24 r=3 s=3 stride=2 pad=1",
        "wgrad n=3 c=40 h=9 w=10 k=24 r=3 s=3 pad=1",
        "forward n=2 c=64 h=15 w=14 k=96 r=3 s=3 pad=1 layout=nchw",
        "dgrad n=2 c=64 h=28 w=28 k=64 r=3 s=3 pad=1 layout=nchw",
        "wgrad n=2 c=64 h=28 w=28 k=128 r=3 s=3 pad=1 layout=nchw",
        "forward n=2 c=64 h=28 w=28 k=64 r=3 s=3 pad=1 accumulate=true"})
    for (const char *target : {"sm_80", "sm_90a"}) {
      Result<std::unique_ptr<SourceModule>> source =
          SourceModule::fromProblem(problemOf(line));
      ASSERT_TRUE(source) << source.error();
      CompileOptions options;
      options.target = target;
      std::string chosen = scheduled(**source, options);
      options.schedule = candidates(line, target, 5).front();
      EXPECT_EQ(scheduled(**source, options), chosen) << line << ' ' << target;
    }
}

TEST(TuningCandidates, canRun) {
  // With channels first a schedule is for what the layout's conversion leaves.
  for (const char *line :
       {"forward c=1 w=1 k=8 s=2 pad=0:2 type=bf16 layout=nchw",
        "forward n=2 c=64 h=28 w=28 k=64 r=3 s=3 pad=1 type=bf16 layout=nchw",
        "dgrad n=2 c=64 h=28 w=28 k=64 r=3 s=3 stride=2 pad=1 layout=nchw",
        "wgrad n=2 c=64 h=28 w=28 k=128 r=3 s=3 pad=1 layout=nchw"}) {
    Result<std::unique_ptr<SourceModule>> source =
        SourceModule::fromProblem(problemOf(line));
    ASSERT_TRUE(source) << source.error();
    CompileOptions options;
    options.target = "sm_90a";
    for (const std::string &schedule : candidates(line, "sm_90a", 4096)) {
      options.schedule = schedule;
      Result<std::string> text = emitModule(**source, Form::F1, options);
      EXPECT_TRUE(text) << line << ": " << text.error();
    }
  }
}

TEST(TuningCandidates, areDistinctAndNoMoreThanAskedFor) {
  for (size_t count : {1, 2, 7, 12}) {
    std::vector<std::string> found = candidates(layer, "sm_90a", count);
    EXPECT_EQ(found.size(), count);
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), count);
  }
}

TEST(TuningCandidates, areOfBothKindsWhereTheChipHasTwo) {
  std::vector<std::string> found = candidates(layer, "sm_90a", 8);
  EXPECT_EQ(countOf(found, "mma=wgmma"), 6u);
  EXPECT_EQ(countOf(found, "mma=mma_sync"), 2u);
  EXPECT_EQ(countOf(candidates(layer, "sm_80", 8), "mma=mma_sync"), 8u);
  // Three channels are nothing for TMA where taps cannot be folded into them.
  EXPECT_EQ(countOf(candidates("forward c=3 h=33 w=31 k=20 r=3 s=3 "
                               "input-dilation=2",
                               "sm_90a", 8),
                    "mma=mma_sync"),
            8u);
}

TEST(TuningCandidates, aProblemWithoutKernelSaysWhy) {
  auto errorOf = [](const std::string &line, const std::string &target) {
    Result<std::vector<std::string>> found =
        candidateSchedules(problemOf(line), target, 4);
    return found ? "" : found.error();
  };
  EXPECT_NE(errorOf("forward c=8 h=4 w=4 k=8 r=1 s=1 type=e4m3", "sm_80")
                .find("e4m3 has a kernel from sm_89 on, not on sm_80"),
            std::string::npos);
  EXPECT_NE(errorOf(layer, "sm_70").find("unknown target 'sm_70'"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

TEST(TuningProblems, aProblemNamesItself) {
  FuzzLimits limits;
  limits.kinds = {ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad};
  limits.spatialRanks = {1, 2, 3};
  limits.types = {"f16", "bf16"};
  limits.outTypes = limits.groups = limits.epilogues = true;
  limits.biasTypes = true;
  for (uint64_t number = 0; number < 100; ++number) {
    CounterRng rng(1, number);
    Problem problem = randomProblem(rng, limits);
    Result<std::unique_ptr<SourceModule>> source =
        SourceModule::fromProblem(problem);
    ASSERT_TRUE(source) << source.error();
    std::vector<Problem> found = tuningProblems(**source);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(tuningKey(found[0]), tuningKey(problem)) << toString(problem);
  }
}

/// Records that count for a problem are among those of its family, whatever the
/// operation is called that it becomes.
TEST(TuningProblems, aProblemStaysInItsFamily) {
  FuzzLimits limits;
  limits.kinds = {ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad};
  limits.spatialRanks = {1, 2, 3};
  limits.types = inputTypes();
  limits.layouts = {TensorLayout::NHWC, TensorLayout::NCHW};
  limits.outTypes = limits.groups = limits.epilogues = true;
  limits.inputDilations = limits.flips = limits.accumulations = true;
  for (uint64_t number = 0; number < 300; ++number) {
    CounterRng rng(2, number);
    Problem problem = randomProblem(rng, limits);
    Result<std::unique_ptr<SourceModule>> source =
        SourceModule::fromProblem(problem);
    ASSERT_TRUE(source) << source.error();
    for (const Problem &found : tuningProblems(**source))
      EXPECT_EQ(tuningFamily(found), tuningFamily(problem))
          << toString(problem);
  }
}

/// Two equal convolutions, the first with what makes a bias, a residual and a
/// narrower type; the sums of the second are read twice.
const char *const block = R"(
#all = affine_map<(n, h, w, k) -> (n, h, w, k)>
#row = affine_map<(n, h, w, k) -> (k)>
func.func @main(%x: tensor<1x4x5x8xbf16>, %w: tensor<8x3x3x8xbf16>,
    %b: tensor<8xf32>, %r: tensor<1x4x5x8xbf16>)
    -> (tensor<1x4x5x8xbf16>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) {
  %e = tensor.empty() : tensor<1x4x5x8xf32>
  %c = conv.forward ins(%x, %w : tensor<1x4x5x8xbf16>, tensor<8x3x3x8xbf16>)
         outs(%e : tensor<1x4x5x8xf32>) pad [1, 1] -> tensor<1x4x5x8xf32>
  %h = tensor.empty() : tensor<1x4x5x8xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b, %r : tensor<1x4x5x8xf32>, tensor<8xf32>, tensor<1x4x5x8xbf16>)
      outs(%h : tensor<1x4x5x8xbf16>) {
    ^bb0(%s: f32, %bias: f32, %res: bf16, %o: bf16):
      %0 = arith.addf %s, %bias : f32
      %1 = arith.extf %res : bf16 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.truncf %2 : f32 to bf16
      linalg.yield %3 : bf16
  } -> tensor<1x4x5x8xbf16>
  %d = conv.forward ins(%x, %w : tensor<1x4x5x8xbf16>, tensor<8x3x3x8xbf16>)
         outs(%e : tensor<1x4x5x8xf32>) pad [1, 1] -> tensor<1x4x5x8xf32>
  %z = linalg.exp ins(%d : tensor<1x4x5x8xf32>)
         outs(%e : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return %y, %d, %z : tensor<1x4x5x8xbf16>, tensor<1x4x5x8xf32>,
                      tensor<1x4x5x8xf32>
})";

TEST(TuningProblems, epiloguesArePartOfTheName) {
  std::vector<Problem> found = tuningProblems(*moduleOf(block));
  std::string common = "forward n=1 c=8 h=4 w=5 k=8 r=3 s=3 stride=1 pad=1 "
                       "dilation=1 groups=1 type=bf16";
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(toString(found[0]), common + " epilogue=bias,residual");
  EXPECT_EQ(toString(found[1]), common + " out-type=f32");
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

class TunedCompilation : public testing::Test {
protected:
  TunedCompilation()
      : folder(std::filesystem::temp_directory_path() /
               ("conv-tuned-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder);
    options.target = "sm_80";
    options.onWarning = [this](const std::string &text) { warning = text; };
    options.onTuned = [this](const TuningMatch &match) {
      used += match.record->schedule + "\n";
    };
  }
  ~TunedCompilation() override { std::filesystem::remove_all(folder); }

  /// Compiles to F1 with records of these schedules, one file each.
  std::string compileWith(const std::string &line,
                          std::vector<std::string> schedules) {
    auto records = std::make_shared<TuningRecords>();
    for (const std::string &schedule : schedules) {
      std::string path = (folder / std::to_string(files++)).string();
      EXPECT_TRUE(
          addTuningRecord(path, makeTuningRecord(problemOf(line), "sm_80",
                                                 schedule, "GPU", 1)));
      EXPECT_TRUE(records->addFile(path));
    }
    options.tuning = records;
    return scheduled(**SourceModule::fromProblem(problemOf(line)), options);
  }

  std::filesystem::path folder;
  CompileOptions options;
  std::string warning, used;
  int files = 0;
};

TEST_F(TunedCompilation, takesTheScheduleOfTheRecord) {
  std::string record = "tile=64x32x16 warps=2x1 stages=3";
  EXPECT_NE(compileWith(layer, {record, "stages=2"})
                .find("tile=64x32x16 warps=2x1 stages=3"),
            std::string::npos);
  EXPECT_EQ(used, record + "\n");
  EXPECT_EQ(warning, "");
}

TEST_F(TunedCompilation, keysOfTheOptionReplaceThoseOfTheRecord) {
  options.schedule = "stages=2";
  EXPECT_NE(compileWith(layer, {"tile=64x32x16 warps=2x1 stages=3"})
                .find("tile=64x32x16 warps=2x1 stages=2"),
            std::string::npos);
}

TEST_F(TunedCompilation, recordsAreOfImplicitGemm) {
  options.schedule = "algorithm=im2col";
  compileWith(layer, {"tile=64x32x16 warps=2x1 stages=3"});
  EXPECT_EQ(used, "");
}

TEST_F(TunedCompilation, theNextCountsWhereARecordIsStale) {
  std::string untuned = compileWith(layer, {});
  EXPECT_EQ(compileWith(layer, {"stages=99"}), untuned);
  EXPECT_NE(warning.find("is stale and ignored: stages must be 2 to 8"),
            std::string::npos)
      << warning;
  EXPECT_EQ(compileWith(layer, {"colour=red"}), untuned);
  EXPECT_NE(warning.find("unknown key 'colour'"), std::string::npos) << warning;
  EXPECT_EQ(compileWith(layer, {"mma=wgmma copy=tma"}), untuned);
  EXPECT_NE(warning.find("sm_90a"), std::string::npos) << warning;
  EXPECT_EQ(used, "");
  EXPECT_NE(compileWith(layer, {"stages=99", "tile=64x32x16 stages=3"})
                .find("tile=64x32x16"),
            std::string::npos);
}

TEST_F(TunedCompilation, aScheduleInTheSourceStays) {
  Result<std::string> text = emitModule(
      **SourceModule::fromProblem(problemOf(layer)), Form::F1, options);
  ASSERT_TRUE(text) << text.error();
  auto records = std::make_shared<TuningRecords>();
  std::string path = (folder / "records").string();
  ASSERT_TRUE(addTuningRecord(path, makeTuningRecord(problemOf(layer), "sm_80",
                                                     "tile=64x32x16 stages=3",
                                                     "GPU", 1)));
  ASSERT_TRUE(records->addFile(path));
  options.tuning = records;
  EXPECT_EQ(scheduled(*moduleOf(*text), options), *text);
}

//===----------------------------------------------------------------------===//
// Flaws
//===----------------------------------------------------------------------===//

TEST_F(TunedCompilation, flawsAreErrorsOrWarnings) {
  std::filesystem::path ptxas = folder / "ptxas";
  std::ofstream(folder / "cubin") << makeCubin(80);
  std::ofstream(ptxas)
      << "#!/bin/sh\ncat " + (folder / "cubin").string() + " > $4\n"
         "echo 'ptxas info : (C7510) Potential Performance Loss: serialized'\n"
         "echo \"ptxas info : Compiling entry function 'main_0' for 'sm_80'\"\n"
         "echo '16 bytes stack frame, 8 bytes spill stores, 4 bytes spill "
         "loads'\n";
  std::filesystem::permissions(ptxas, std::filesystem::perms::owner_all);
  options.ptxas = ptxas.string();
  auto source = SourceModule::fromProblem(problemOf(layer));
  EXPECT_TRUE(compile(**source, options));
  EXPECT_EQ(warning, "ptxas: (C7510) Potential Performance Loss: serialized");
  options.refuseFlaws = true;
  Result<Plan> plan = compile(**source, options);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error(),
            "ptxas: (C7510) Potential Performance Loss: serialized; main_0 "
            "spills registers, 12 bytes a thread");
}

} // namespace
