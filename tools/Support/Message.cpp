//===- Message.cpp - what a tool says on standard error -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Message.h"
#include "conv/Support/Message.h"

#include <cstdio>

namespace convmlir {

std::string toLine(std::string_view text) {
  constexpr const char *digits = "0123456789abcdef";
  constexpr unsigned char remove = 0x7f;
  std::string line;
  for (unsigned char c : text) {
    if (c == '\n') {
      line += ' ';
    } else if (c < ' ' || c == remove) {
      line += "\\x";
      line += digits[c / 16];
      line += digits[c % 16];
    } else {
      line += static_cast<char>(c);
    }
  }
  return line;
}

void printMessage(std::string_view tool, std::string_view kind,
                  std::string_view text) {
  std::string line = std::string(tool) + ": " + std::string(kind) + ": " +
                     shortenMessage(toLine(text)) + "\n";
  std::fputs(line.c_str(), stderr);
}

} // namespace convmlir
