//===- ModelTest.cpp - properties of modelled times -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What must hold of the model whatever its constants are.
//
//===----------------------------------------------------------------------===//

#include "ScheduledProblem.h"

#include "conv/Schedule/KernelRules.h"
#include "conv/Schedule/Model/TimeParts.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

constexpr const char *kKinds[] = {"forward", "dgrad", "wgrad"};

class ModelTest : public ::testing::Test {
protected:
  SmallVector<RankedSchedule> rank(const ScheduledProblem &problem,
                                   const char *chip = "sm_90a") {
    return rankSchedules(problem.op, *lookupChip(chip));
  }

  GemmShape getShape(const ScheduledProblem &problem, ScheduleAttr schedule) {
    return getGemmShape(problem.op, schedule);
  }

  MLIRContext context;
};

TEST_F(ModelTest, TheChoiceIsLegal) {
  for (const char *name : {"sm_80", "sm_90a", "sm_120"})
    for (const char *kind : kKinds)
      for (int64_t channels : {8, 24, 64, 512}) {
        ScheduledProblem problem(context, kind, 4, channels, 14, channels);
        SmallVector<RankedSchedule> ranked = rank(problem, name);
        ASSERT_FALSE(ranked.empty()) << name << " " << kind << channels;
        EXPECT_EQ(whyCannotRun(problem.op, ranked.front().schedule,
                               *lookupChip(name)),
                  "");
      }
}

/// Twice the images, or twice the filters, take no less.
TEST_F(ModelTest, LargerProblemsAreNeverCheaper) {
  for (const char *name : {"sm_80", "sm_90a"})
    for (const char *kind : kKinds)
      for (int64_t channels : {64, 256}) {
        double images = 0, filters = 0;
        for (int64_t factor : {1, 2, 4, 8, 16}) {
          ScheduledProblem more(context, kind, 4 * factor, channels, 14, 64);
          double time = rank(more, name).front().time;
          EXPECT_GE(time, images) << name << " " << kind << " n x " << factor;
          images = time;
          ScheduledProblem wider(context, kind, 4, channels, 14, 64 * factor);
          time = rank(wider, name).front().time;
          EXPECT_GE(time, filters) << name << " " << kind << " k x " << factor;
          filters = time;
        }
      }
}

/// Each schedule alone: more bytes to read or to write are never faster.
TEST_F(ModelTest, MoreBytesAreNeverFaster) {
  ChipInfo chip = *lookupChip("sm_90a");
  for (const char *kind : kKinds) {
    ScheduledProblem problem(context, kind, 32, 64, 28, 64);
    for (const RankedSchedule &ranked : rank(problem)) {
      GemmShape gemm = getShape(problem, ranked.schedule);
      const KernelRules &rules = getKernelRules(ranked.schedule, gemm);
      double before = rules.getTime(ranked.schedule, gemm, chip);
      gemm.memory.readBytes *= 2;
      double more = rules.getTime(ranked.schedule, gemm, chip);
      EXPECT_GE(more, before) << toString(ranked.schedule);
      gemm.memory.writtenBytes *= 4;
      EXPECT_GE(rules.getTime(ranked.schedule, gemm, chip), more)
          << toString(ranked.schedule);
    }
  }
}

/// Parts are of the same time, asked for or not: none is longer than the whole,
/// and together they are most of it.
TEST_F(ModelTest, PartsAreOfTheTime) {
  for (const char *name : {"sm_80", "sm_90a"})
    for (const char *kind : kKinds) {
      ScheduledProblem problem(context, kind, 32, 64, 28, 64);
      ChipInfo chip = *lookupChip(name);
      for (const RankedSchedule &ranked : rank(problem, name)) {
        GemmShape gemm = getShape(problem, ranked.schedule);
        const KernelRules &rules = getKernelRules(ranked.schedule, gemm);
        TimeParts parts;
        double time = rules.getTime(ranked.schedule, gemm, chip, &parts);
        EXPECT_EQ(time, rules.getTime(ranked.schedule, gemm, chip));
        double sum = 0;
        for (auto [part, cycles] : parts.getLargest()) {
          EXPECT_LE(cycles, time * 1.001)
              << getName(part).str() << " of " << toString(ranked.schedule);
          sum += cycles;
        }
        EXPECT_GE(sum, time / 2) << toString(ranked.schedule);
      }
    }
}

/// A name is none of the model's business.
TEST_F(ModelTest, RankingDoesNotDependOnNames) {
  for (const char *kind : kKinds) {
    ScheduledProblem one(context, kind, 16, 64, 28, 64, "bf16", "a");
    ScheduledProblem other(context, kind, 16, 64, 28, 64, "bf16", "zz");
    SmallVector<RankedSchedule> first = rank(one), second = rank(other);
    ASSERT_EQ(first.size(), second.size());
    for (auto [a, b] : llvm::zip(first, second)) {
      EXPECT_EQ(a.schedule, b.schedule);
      EXPECT_EQ(a.time, b.time);
    }
  }
}

} // namespace
