//===- CheckText.cpp - text that MLIR's parser survives -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CheckText.h.
//
//===----------------------------------------------------------------------===//

#include "CheckText.h"
#include "conv/Support/BracketNesting.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace convmlir::emu {

/// Whether numbers in these brackets are those of a list, such as positions:
/// "[…]" or "array<…>", but not the elements of a constant, "dense<…>".
static bool isInList(std::span<const OpenBracket> around) {
  auto follows = [](OpenBracket open, std::string_view word) {
    return open.bracket == '<' && open.word == word;
  };
  if (around.empty() || llvm::any_of(around, [&](OpenBracket open) {
        return follows(open, "dense");
      }))
    return false;
  return around.back().bracket == '[' || follows(around.back(), "array");
}

static bool isSmall(llvm::StringRef number) {
  uint64_t value = 0;
  bool isHex = number.starts_with("0x");
  llvm::StringRef digits =
      isHex ? number.drop_front(2).take_while(llvm::isHexDigit)
            : number.take_while(llvm::isDigit);
  return digits.empty() ||
         (!digits.getAsInteger(isHex ? 16 : 10, value) && value <= INT32_MAX);
}

Status checkText(std::string_view text, const std::string &name) {
  return checkNesting(
      text, name,
      [](std::string_view number, std::span<const OpenBracket> around) {
        return isSmall(number) || !isInList(around)
                   ? std::string()
                   : "expected a number of at most 31 bits in a list, got " +
                         std::string(number);
      });
}

} // namespace convmlir::emu
