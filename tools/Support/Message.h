//===- Message.h - what a tool says on standard error -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_MESSAGE_H
#define CONV_TOOLS_SUPPORT_MESSAGE_H

#include <string>
#include <string_view>

namespace convmlir {

/// The text on one line: what a file or an argument put into it moves no cursor
/// and ends nothing. "\x1b" for control characters, a space for a line break.
std::string toLine(std::string_view text);

/// Prints "TOOL: KIND: TEXT" as one line of a sensible length.
void printMessage(std::string_view tool, std::string_view kind,
                  std::string_view text);

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_MESSAGE_H
