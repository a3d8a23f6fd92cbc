//===- Form.h - the forms between the stages --------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Purpose: the names of the normal forms of docs/Pipelines.md, for command
// lines and messages. Which form a module has says conv/Pipelines/Forms.h.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_FORM_H
#define CONV_SUPPORT_FORM_H

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace convmlir {

enum class Form { F0, F1, F2, F3, F4, F5, F6, F7, F8 };

/// What a module of each form is made of, as messages say it.
inline constexpr std::array<std::string_view, 9> formContents = {
    "operations", "scheduled operations", "matrices",
    "tiles",      "block programs",       "kernels",
    "rings",      "threads",              "nvvm"};

/// "f0" to "f8"; nothing for another name.
inline std::optional<Form> parseForm(std::string_view name) {
  bool isForm = name.size() == 2 && name[0] == 'f' && name[1] >= '0' &&
                name[1] < static_cast<char>('0' + formContents.size());
  return isForm ? std::optional(static_cast<Form>(name[1] - '0'))
                : std::nullopt;
}

/// "F6 (rings)".
inline std::string toString(Form form) {
  auto number = static_cast<size_t>(form);
  return "F" + std::to_string(number) + " (" +
         std::string(formContents[number]) + ")";
}

} // namespace convmlir

#endif // CONV_SUPPORT_FORM_H
