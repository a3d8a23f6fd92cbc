//===- Handle.h - plans of the C API in tests -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_CAPI_HANDLE_H
#define CONV_UNITTESTS_CAPI_HANDLE_H

#include "conv-c/Compiler.h"
#include "conv-c/Plan.h"

#include "gtest/gtest.h"

#include <memory>
#include <string>

namespace convmlir::test {

struct Destroy {
  void operator()(convmlir_plan *plan) const { convmlir_plan_destroy(plan); }
};
using PlanHandle = std::unique_ptr<convmlir_plan, Destroy>;

/// Of plans without code for GPUs.
inline convmlir_compile_options emulatorOptions(const char *target = "sm_80") {
  convmlir_compile_options options{};
  options.size = sizeof options;
  options.target = target;
  options.emulator_only = 1;
  return options;
}

inline PlanHandle compileForEmulator(const char *problem,
                                     const char *target = "sm_80") {
  convmlir_compile_options options = emulatorOptions(target);
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_compile_problem(problem, &options, &plan), CONVMLIR_OK)
      << convmlir_last_error();
  return PlanHandle(plan);
}

inline PlanHandle compileModuleForEmulator(const std::string &text) {
  convmlir_compile_options options = emulatorOptions();
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_compile_module(text.data(), text.size(), "test.mlir",
                                    &options, &plan),
            CONVMLIR_OK)
      << convmlir_last_error();
  return PlanHandle(plan);
}

inline convmlir_plan_info describe(const PlanHandle &plan) {
  convmlir_plan_info info{};
  info.size = sizeof info;
  EXPECT_EQ(convmlir_plan_describe(plan.get(), &info), CONVMLIR_OK)
      << convmlir_last_error();
  return info;
}

} // namespace convmlir::test

#endif // CONV_UNITTESTS_CAPI_HANDLE_H
