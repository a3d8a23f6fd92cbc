//===- conv-launch.cpp - runs a compiled plan on a GPU --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Support/Message.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

using namespace convmlir;

static int fail(const Failure &failure) {
  printMessage("conv-launch", "error", failure.message);
  return static_cast<int>(failure.code);
}

[[noreturn]] static void failForMemory() {
  std::fputs("conv-launch: error: the plan needs more memory than there is\n",
             stderr);
  std::_Exit(static_cast<int>(ExitCode::BadInput));
}

static int print(const std::string &text, ExitCode code) {
  bool isWritten = std::fputs(text.c_str(), stdout) >= 0;
  if (std::fflush(stdout) != 0 || !isWritten)
    return fail(badInput("standard output cannot be written"));
  return static_cast<int>(code);
}

int main(int argc, char **argv) {
  std::set_new_handler(failForMemory);
  // A limit on the size of files is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  Result<CommandLine> line =
      parseCommandLine({argv + 1, argv + (argc > 0 ? argc : 1)});
  if (!line)
    return fail(badInput(line.error()));
  if (line->help || line->version)
    return print(line->help ? helpText() : versionText(), ExitCode::Done);
  Outcome<LaunchReport> report = launch(*line);
  if (!report)
    return fail(report.failure());
  return print(report->text,
               report->passed ? ExitCode::Done : ExitCode::Mismatch);
}
