//===- Operands.cpp - which option means which operand --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace convmlir {

namespace {
struct NamedValue {
  std::string_view name; ///< Empty: none.
  std::string_view spec;
};
} // namespace

/// A name has neither points nor slashes, so that a path may have '='.
static NamedValue split(std::string_view value) {
  size_t equals = value.find('=');
  if (equals == std::string_view::npos)
    return {{}, value};
  std::string_view name = value.substr(0, equals);
  if (name.empty() || name.find_first_of("./") != std::string_view::npos)
    return {{}, value};
  return {name, value.substr(equals + 1)};
}

static std::string namesOf(const std::vector<TensorSpec> &operands) {
  std::string names;
  for (const TensorSpec &operand : operands)
    names += (names.empty() ? "" : ", ") + operand.name;
  return names;
}

/// The operand that a value means; `number` counts the values.
static Result<size_t> find(const std::string &option, const NamedValue &value,
                           size_t number,
                           const std::vector<TensorSpec> &operands) {
  if (value.name.empty())
    return number;
  auto found = std::ranges::find(operands, value.name, &TensorSpec::name);
  if (found == operands.end())
    return Error{option + ": expected one of " + namesOf(operands) +
                 " in front of '=', got '" + std::string(value.name) + "'"};
  return static_cast<size_t>(found - operands.begin());
}

Result<std::vector<std::string>>
assignToOperands(const std::string &option,
                 const std::vector<std::string> &values,
                 const std::vector<TensorSpec> &operands) {
  if (values.size() > operands.size())
    return Error{option + ": expected at most " +
                 std::to_string(operands.size()) + " (" + namesOf(operands) +
                 "), got " + std::to_string(values.size())};
  std::vector<std::string> specs(operands.size());
  for (size_t i = 0; i < values.size(); ++i) {
    NamedValue value = split(values[i]);
    if (value.name.empty() != split(values.front()).name.empty())
      return Error{option + ": expected all of them with NAME= or none, got '" +
                   values.front() + "' and '" + values[i] + "'"};
    if (value.spec.empty())
      return Error{option + ": expected a value after '=', got '" + values[i] +
                   "'"};
    Result<size_t> index = find(option, value, i, operands);
    if (!index)
      return index.takeError();
    if (!specs[*index].empty())
      return Error{option + ": '" + operands[*index].name + "' is given twice"};
    specs[*index] = value.spec;
  }
  return specs;
}

} // namespace convmlir
