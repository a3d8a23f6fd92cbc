//===- Options.h - options of a command line --------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the arguments after a program's name, and a table of its options.
// Output: a structure that the options' functions fill, or one line that says
// what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_OPTIONS_H
#define CONV_TOOLS_SUPPORT_OPTIONS_H

#include "conv/Support/Result.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

/// Whether an option has a value, as in --name=VALUE.
enum class Arity { None, Optional, Needed };

template <typename Line> struct Option {
  Arity arity;
  /// Gets the value; empty where there is none.
  Status (*set)(Line &, const std::string &);
  bool repeats = false;
};

template <typename Line>
using OptionTable = std::map<std::string, Option<Line>>;

/// A decimal number from `low` on, and nothing else.
template <typename T>
Result<T> parseNumber(const std::string &name, std::string_view text, T low) {
  T value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < low)
    return Error{name + ": expected a whole number of at least " +
                 std::to_string(low) + ", got '" + std::string(text) + "'"};
  return value;
}

/// What is wrong with the value of an option.
Status checkValue(const std::string &name, Arity arity,
                  const std::optional<std::string> &value);

/// Parses the arguments in their order. `setFile` gets those that are no
/// options.
template <typename Line>
Status parseOptions(Line &line, std::span<char *const> arguments,
                    const OptionTable<Line> &options,
                    Status (*setFile)(Line &, const std::string &)) {
  std::set<std::string> seen;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string text = arguments[i];
    if (!text.starts_with("-") || text == "-") {
      if (Status status = setFile(line, text); !status)
        return status;
      continue;
    }
    size_t equals = text.starts_with("--") ? text.find('=') : std::string::npos;
    std::string name = text.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos)
      value = text.substr(equals + 1);
    auto option = options.find(name);
    if (option == options.end())
      return Error{"unknown option '" + name + "'; --help lists the options"};
    if (!seen.insert(name).second && !option->second.repeats)
      return Error{name + " is given twice"};
    if (!name.starts_with("--") && i + 1 < arguments.size())
      value = arguments[++i];
    if (Status status = checkValue(name, option->second.arity, value); !status)
      return status;
    if (Status status = option->second.set(line, value.value_or("")); !status)
      return status;
  }
  return {};
}

/// Functions of options that keep what came.
template <auto Member, typename Line>
Status setText(Line &line, const std::string &text) {
  line.*Member = text;
  return {};
}

template <auto Member, typename Line>
Status addText(Line &line, const std::string &text) {
  (line.*Member).push_back(text);
  return {};
}

template <auto Member, typename Line>
Status setFlag(Line &line, const std::string &) {
  line.*Member = true;
  return {};
}

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_OPTIONS_H
