//===- CommandLine.cpp - the options of conv-launch -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Support/Options.h"

#include <cmath>

namespace convmlir {

static Status setTolerance(CommandLine &line, const std::string &text) {
  double value = 0;
  const char *last = text.data() + text.size();
  auto [end, code] = std::from_chars(text.data(), last, value);
  if (code != std::errc() || end != last || !std::isfinite(value) || value < 0)
    return Error{"--tolerance: expected a number that is not negative, got '" +
                 text + "'"};
  line.tolerance = value;
  return {};
}

static Status setTime(CommandLine &line, const std::string &text) {
  Result<int64_t> runs =
      parseNumber<int64_t>("--time", text.empty() ? "100" : text, 1);
  if (!runs)
    return runs.takeError();
  line.timedRuns = *runs;
  return {};
}

static Status setFile(CommandLine &line, const std::string &text) {
  if (!line.file.empty())
    return Error{"expected one file, got '" + line.file + "' and '" + text +
                 "'"};
  if (!text.ends_with(".plan"))
    return Error{"expected FILE.plan, got '" + text +
                 "'; conv-run compiles others"};
  line.file = text;
  return {};
}

static const OptionTable<CommandLine> &options() {
  static const OptionTable<CommandLine> table = {
      {"--input", {Arity::Needed, addText<&CommandLine::inputs>, true}},
      {"--expect", {Arity::Needed, addText<&CommandLine::expected>, true}},
      {"--output", {Arity::Needed, addText<&CommandLine::outputs>, true}},
      {"--tolerance", {Arity::Needed, setTolerance}},
      {"--time", {Arity::Optional, setTime}},
      {"--device", {Arity::Needed, setText<&CommandLine::device>}},
      {"--describe", {Arity::None, setFlag<&CommandLine::describe>}},
      {"--help", {Arity::None, setFlag<&CommandLine::help>}},
      {"--version", {Arity::None, setFlag<&CommandLine::version>}},
  };
  return table;
}

static Status checkRules(const CommandLine &line) {
  if (line.file.empty())
    return Error{"expected FILE.plan; --help lists the options"};
  if (line.tolerance && line.expected.empty())
    return Error{"--tolerance needs --expect"};
  bool runs = !line.inputs.empty() || !line.expected.empty() ||
              !line.outputs.empty() || line.timedRuns;
  if (line.describe && runs)
    return Error{"--describe runs nothing: it excludes --input, --expect, "
                 "--output and --time"};
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
  return line;
}

} // namespace convmlir
