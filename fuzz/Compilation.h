//===- Compilation.h - what targets that compile share ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a function of the front end. It becomes a plan for the emulator, or a
// refusal that is the user's business: a plan that breaks its own rules, and a
// pass that fails in silence, are findings.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_FUZZ_COMPILATION_H
#define CONV_FUZZ_COMPILATION_H

#include "Fuzzing.h"
#include "conv/Compiler/Compiler.h"

#include <algorithm>

namespace convmlir::fuzzing {

/// Whether a filter is of the size of those of networks. Time to compile grows
/// with it, and so would that of an input.
inline bool hasSmallFilter(const Problem &problem) {
  constexpr int64_t most = 16;
  return std::ranges::all_of(problem.geometry.filter,
                             [](int64_t taps) { return taps <= most; });
}

inline void compileOrRefuse(const SourceModule &source,
                            const std::string &target,
                            const std::string &schedule) {
  if (!std::ranges::all_of(source.convolutions(), hasSmallFilter))
    return;
  CompileOptions options;
  options.target = target;
  options.schedule = schedule;
  options.targetCode = false;
  Result<Plan> plan = compile(source, options);
  if (plan)
    return note(plan->schedule);
  const std::string &error = plan.error();
  expect(!error.starts_with("the compiler made an invalid plan"),
         "the compiler makes valid plans: " + error);
  expect(!error.starts_with("the compiler failed without a message"),
         "a pass that fails says why");
  noteRefusal(error);
}

} // namespace convmlir::fuzzing

#endif // CONV_FUZZ_COMPILATION_H
