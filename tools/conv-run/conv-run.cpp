//===- conv-run.cpp - compiles, runs and checks convolutions --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Fuzz.h"
#include "Run.h"

#include <cstdio>

using namespace convmlir;

static int fail(const Failure &failure) {
  std::fprintf(stderr, "conv-run: error: %s\n", failure.message.c_str());
  return static_cast<int>(failure.code);
}

int main(int argc, char **argv) {
  Result<CommandLine> line =
      parseCommandLine({argv + 1, argv + (argc > 0 ? argc : 1)});
  if (!line)
    return fail(badInput(line.error()));
  if (line->help || line->version) {
    std::fputs(line->help ? helpText() : versionText(), stdout);
    return 0;
  }
  Outcome<ExitCode> code = line->fuzzCases ? fuzz(*line) : runOnce(*line);
  return code ? static_cast<int>(*code) : fail(code.failure());
}
