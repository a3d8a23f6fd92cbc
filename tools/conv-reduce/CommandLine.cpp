//===- CommandLine.cpp - the options of conv-reduce -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Support/Options.h"

namespace convmlir::reducer {

static constexpr std::string_view kernelPrefix = "kernel:";

static Status setStill(CommandLine &line, const std::string &text) {
  line.still = text;
  if (text == "differs")
    line.question = Question::Differs;
  else if (text == "crashes")
    line.question = Question::Crashes;
  else if (text.starts_with(kernelPrefix) && text.size() > kernelPrefix.size())
    line.question = Question::HasKernel;
  else
    return Error{"--still: expected differs, crashes or kernel:NAME, got '" +
                 text + "'"};
  if (line.question == Question::HasKernel)
    line.kernel = text.substr(kernelPrefix.size());
  return {};
}

static Status setTimeout(CommandLine &line, const std::string &text) {
  Result<int64_t> seconds = parseNumber<int64_t>("--timeout", text, 1);
  if (!seconds)
    return seconds.takeError();
  line.seconds = *seconds;
  return {};
}

static Status setFile(CommandLine &line, const std::string &text) {
  if (!line.file.empty())
    return Error{"expected one file, got '" + line.file + "' and '" + text +
                 "'"};
  line.file = text;
  return {};
}

static const OptionTable<CommandLine> &options() {
  static const OptionTable<CommandLine> table = {
      {"--still", {Arity::Needed, setStill}},
      {"--test", {Arity::Needed, setText<&CommandLine::test>}},
      {"--tool", {Arity::Needed, setText<&CommandLine::tool>}},
      {"--with", {Arity::Needed, setText<&CommandLine::with>}},
      {"--message", {Arity::Needed, setText<&CommandLine::message>}},
      {"--timeout", {Arity::Needed, setTimeout}},
      {"--ask", {Arity::None, setFlag<&CommandLine::asks>}},
      {"--memory", {Arity::Needed, setText<&CommandLine::memory>}},
      {"-o", {Arity::Needed, setText<&CommandLine::output>}},
      {"--help", {Arity::None, setFlag<&CommandLine::help>}},
      {"--version", {Arity::None, setFlag<&CommandLine::version>}},
  };
  return table;
}

static Status checkRules(const CommandLine &line) {
  if (line.file.empty() || line.file == "-")
    return Error{"expected FILE.mlir; --help lists the options"};
  if (line.still.empty() == line.test.empty())
    return Error{"expected --still=differs|crashes|kernel:NAME or "
                 "--test=SCRIPT, got " +
                 std::string(line.test.empty() ? "neither" : "both")};
  bool hasOptionsOfTools =
      !line.tool.empty() || !line.with.empty() || !line.message.empty();
  if (!line.test.empty() && hasOptionsOfTools)
    return Error{"--test decides alone: it excludes --tool, --with and "
                 "--message"};
  if (!line.tool.empty() && line.question != Question::Crashes)
    return Error{"--tool is for --still=crashes, got --still=" + line.still};
  if (!line.memory.empty() && !line.asks)
    return Error{"--memory is for --ask"};
  return {};
}

Result<CommandLine> parseCommandLine(std::span<char *const> arguments) {
  CommandLine line;
  if (Status status = parseOptions(line, arguments, options(), setFile);
      !status)
    return status.takeError();
  if (line.help || line.version)
    return line;
  if (Status status = checkRules(line); !status)
    return status.takeError();
  if (!line.test.empty())
    line.question = Question::Script;
  return line;
}

} // namespace convmlir::reducer
