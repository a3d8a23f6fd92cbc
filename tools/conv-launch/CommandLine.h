//===- CommandLine.h - the options of conv-launch ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_LAUNCH_COMMANDLINE_H
#define CONV_TOOLS_CONV_LAUNCH_COMMANDLINE_H

#include "conv/Support/Result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace convmlir {

/// What was asked. Values are checked as far as they can be without the plan.
struct CommandLine {
  std::string file; ///< FILE.plan.
  /// [NAME=]SPEC, once per operand.
  std::vector<std::string> inputs, expected, outputs;
  std::optional<double> tolerance;  ///< Absent: the plan's.
  std::optional<int64_t> timedRuns; ///< Absent: nothing is timed.
  std::string device = "cuda";
  bool describe = false; ///< Say what the plan is, and run nothing.
  bool help = false, version = false;
};

/// Parses the arguments after the program's name. The error is one line.
Result<CommandLine> parseCommandLine(std::span<char *const> arguments);

/// The texts of --help and --version.
const char *helpText();
const char *versionText();

} // namespace convmlir

#endif // CONV_TOOLS_CONV_LAUNCH_COMMANDLINE_H
