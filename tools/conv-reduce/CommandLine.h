//===- CommandLine.h - the options of conv-reduce ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_REDUCE_COMMANDLINE_H
#define CONV_TOOLS_CONV_REDUCE_COMMANDLINE_H

#include "conv/Support/Result.h"

#include <cstdint>
#include <span>
#include <string>

namespace convmlir::reducer {

/// What a smaller module has to do still.
enum class Question {
  None,
  Differs,   ///< Its results differ from the definition, on the emulator.
  Crashes,   ///< A tool ends by a signal.
  HasKernel, ///< One of its kernels has a name with `kernel`.
  Script,    ///< What a script says.
};

struct CommandLine {
  std::string file;
  std::string output = "-";
  std::string still; ///< The value of --still, as it was given.
  Question question = Question::None;
  std::string kernel;
  std::string tool;    ///< Of Crashes; empty: conv-opt.
  std::string with;    ///< Options of the tool that is asked.
  std::string message; ///< What the tool has to say, too.
  std::string test;    ///< The file of Script.
  int64_t seconds = 60;
  bool asks = false;  ///< Only answers the question, for the reducer.
  std::string memory; ///< A folder with the answers so far; empty: none.
  bool help = false;
  bool version = false;
};

/// Checked, or one line that says what is wrong.
Result<CommandLine> parseCommandLine(std::span<char *const> arguments);

const char *helpText();
const char *versionText();

} // namespace convmlir::reducer

#endif // CONV_TOOLS_CONV_REDUCE_COMMANDLINE_H
