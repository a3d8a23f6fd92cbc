//===- Answer.h - whether a module still does it ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a file with a module, and the question of a command line. Output: yes
// or no, and what the tool that was asked did.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_REDUCE_ANSWER_H
#define CONV_TOOLS_CONV_REDUCE_ANSWER_H

#include "CommandLine.h"

#include <vector>

namespace convmlir::reducer {

struct Answer {
  bool isYes = false;
  std::string why; ///< "conv-run ended with status 0"
};

/// Runs the tool. An error where it cannot be started.
Result<Answer> answer(const CommandLine &line, const std::string &file);

/// The same, with the answers of `line.memory`.
Result<Answer> recallOrAnswer(const CommandLine &line, const std::string &file);

/// The program that the reducer asks, and its arguments in front of the file:
/// this one, with --ask.
struct Asker {
  std::string program;
  std::vector<std::string> arguments;
};
Asker makeAsker(const CommandLine &line, const std::string &memory);

} // namespace convmlir::reducer

#endif // CONV_TOOLS_CONV_REDUCE_ANSWER_H
