//===- BracketNesting.h - how deep a text of MLIR is nested -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_BRACKETNESTING_H
#define CONV_SUPPORT_BRACKETNESTING_H

#include "conv/Support/Result.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace convmlir {

/// The parser, the verifier and passes go a level deeper on the stack for each
/// level of the text. This many fit into a tenth of a usual stack (8 MiB); the
/// forms of docs/Pipelines.md have fewer than 20.
inline constexpr size_t kMostNestedBrackets = 256;

/// A bracket that is open, and the word in front of it.
struct OpenBracket {
  char bracket;
  std::string_view word;
};

/// What is said of a number within the brackets that are open around it,
/// outermost first; empty where it is as it should be.
using NumberCheck = std::function<std::string(
    std::string_view number, std::span<const OpenBracket> around)>;

/// Fails where brackets ("(", "[", "{", "<") are nested deeper than that.
/// `name` is what the message calls the text. Numbers are checked on the way.
Status checkNesting(std::string_view text, const std::string &name,
                    const NumberCheck &checkNumber = nullptr);

} // namespace convmlir

#endif // CONV_SUPPORT_BRACKETNESTING_H
