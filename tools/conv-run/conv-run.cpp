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
#include "Support/Message.h"
#include "Tune.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

using namespace convmlir;

static int fail(const Failure &failure) {
  printMessage("conv-run", "error", failure.message);
  return static_cast<int>(failure.code);
}

[[noreturn]] static void failForMemory() {
  std::fputs("conv-run: error: the problem needs more memory than there is\n",
             stderr);
  std::_Exit(static_cast<int>(ExitCode::BadInput));
}

/// Where LLVM finds a fault of its own it would abort, after lines of its own.
[[noreturn]] static void failForLLVM(void *, const char *reason, bool) {
  printMessage("conv-run", "error",
               std::string("LLVM cannot go on: ") + reason);
  std::_Exit(static_cast<int>(ExitCode::BadInput));
}

static Outcome<ExitCode> print(const std::string &text) {
  llvm::outs() << text;
  llvm::outs().flush();
  return ExitCode::Done;
}

int main(int argc, char **argv) {
  std::set_new_handler(failForMemory);
  // A limit on the size of files is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  Result<CommandLine> line =
      parseCommandLine({argv + 1, argv + (argc > 0 ? argc : 1)});
  if (!line)
    return fail(badInput(line.error()));
  // The fuzzer writes a note when the process aborts.
  if (!line->fuzzCases)
    llvm::install_fatal_error_handler(failForLLVM);
  Outcome<ExitCode> code = line->help             ? print(helpText())
                           : line->version        ? print(versionText())
                           : line->fuzzCases      ? fuzz(*line)
                           : line->tuneCandidates ? tune(*line)
                                                  : runOnce(*line);
  if (!code)
    return fail(code.failure());
  // A stream that still has an error when the program ends aborts it.
  if (llvm::outs().has_error()) {
    llvm::outs().clear_error();
    return fail(badInput("standard output cannot be written"));
  }
  return static_cast<int>(*code);
}
