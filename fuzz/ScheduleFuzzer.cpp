//===- ScheduleFuzzer.cpp - schedules of a problem ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: three lines, the target, the problem, and the text of --schedule. The
// schedule is checked as that of a tuning record, and compiled.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "conv/Compiler/Tuning.h"

using namespace convmlir;

/// Cuts the first line off.
static std::string takeLine(std::string_view &text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = fuzzing::asText(data, size);
  std::string target = takeLine(text);
  Result<Problem> problem = parseProblem(takeLine(text));
  std::string schedule(text);
  if (!problem || !fuzzing::hasSmallFilter(*problem))
    return 0;
  if (Status status = checkSchedule(*problem, target, schedule); !status)
    fuzzing::noteRefusal(status.error());
  if (std::ranges::count(supportedTargets(), target) == 0)
    return 0; // Refused; compile() has it from the command line, checked.
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromProblem(*problem);
  if (source)
    fuzzing::compileOrRefuse(**source, target, schedule);
  else
    fuzzing::noteRefusal(source.error());
  return 0;
}
