//===- BracketNesting.cpp - how deep a text of MLIR is nested -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: text that nobody has parsed. Output: nothing, or an error with the
// place of the first bracket that is too deep. Brackets need not match: the
// parser says that better.
//
//===----------------------------------------------------------------------===//

#include "BracketNesting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using namespace convmlir;
using llvm::StringRef;

/// The position behind a string literal that begins at `begin`; it ends with
/// its line at the latest.
static size_t skipString(StringRef text, size_t begin) {
  size_t i = begin + 1;
  while (i < text.size() && text[i] != '"' && text[i] != '\n')
    i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

/// Closes the innermost bracket of the kind that `close` ends, and those within
/// it: a "<" may be a comparison.
static void closeBracket(llvm::SmallVectorImpl<char> &open, char close) {
  char wanted = close == ')'   ? '('
                : close == ']' ? '['
                : close == '}' ? '{'
                               : '<';
  if (wanted == '<') {
    if (!open.empty() && open.back() == wanted)
      open.pop_back();
    return;
  }
  auto found = llvm::find(llvm::reverse(open), wanted);
  if (found != open.rend())
    open.truncate(open.rend() - found - 1);
}

static Error tooDeep(StringRef text, size_t at, const std::string &name) {
  StringRef before = text.take_front(at);
  size_t line = before.count('\n') + 1;
  size_t column = at - (before.rfind('\n') + 1) + 1;
  return Error{name + ":" + std::to_string(line) + ":" +
               std::to_string(column) + ": expected brackets that are nested " +
               std::to_string(kMostNestedBrackets) +
               " deep at most, got one more"};
}

Status convmlir::checkNesting(std::string_view given, const std::string &name) {
  StringRef text(given);
  if (text.starts_with("ML\xefR")) // Bytecode, which has no brackets.
    return {};
  llvm::SmallVector<char, kMostNestedBrackets> open;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      i = skipString(text, i) - 1;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "->") {
      ++i;
    } else if (StringRef("([{<").contains(c)) {
      if (open.size() == kMostNestedBrackets)
        return tooDeep(text, i, name);
      open.push_back(c);
    } else if (StringRef(")]}>").contains(c)) {
      closeBracket(open, c);
    }
  }
  return {};
}
