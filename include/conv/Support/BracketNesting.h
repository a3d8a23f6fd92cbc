//===- BracketNesting.h - how deep a text of MLIR is nested -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_BRACKETNESTING_H
#define CONV_LIB_COMPILER_BRACKETNESTING_H

#include "conv/Support/Result.h"

#include <string>
#include <string_view>

namespace convmlir {

/// The parser, the verifier and passes go a level deeper on the stack for each
/// level of the text. This many fit into a tenth of a usual stack (8 MiB); the
/// forms of docs/Pipelines.md have fewer than 20.
inline constexpr size_t kMostNestedBrackets = 256;

/// Fails where brackets ("(", "[", "{", "<") are nested deeper than that.
/// `name` is what the message calls the text.
Status checkNesting(std::string_view text, const std::string &name);

} // namespace convmlir

#endif // CONV_LIB_COMPILER_BRACKETNESTING_H
