//===- TestKeys.h - keys and plans of tests ------------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_CACHE_TESTKEYS_H
#define CONV_UNITTESTS_CACHE_TESTKEYS_H

#include "CacheEntry.h"
#include "TestFiles.h"
#include "TestPlans.h"
#include "conv/Cache/PlanKey.h"

#include <string>

namespace convmlir::test {

inline constexpr const char *testLine = "forward c=16 h=8 w=8 k=4 r=3 s=3";

inline PlanKey makeKey(const std::string &line = testLine,
                       const CompileOptions &options = {}) {
  Result<Problem> problem = parseProblem(line);
  EXPECT_TRUE(problem) << problem.error();
  return PlanKey::ofProblem(*problem, options);
}

inline CacheEntry makeEntry(const std::string &schedule = "stages=3") {
  CacheEntry entry;
  entry.plan = makeFullPlan();
  entry.plan.schedule = schedule;
  entry.notes.warnings = {"ptxas: (C7510) \xff"};
  entry.notes.tuned = {0};
  entry.notes.untuned = {{"forward …", "NVIDIA L4"}};
  return entry;
}

} // namespace convmlir::test

#endif // CONV_UNITTESTS_CACHE_TESTKEYS_H
