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
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace convmlir::emu {

namespace {

/// Reads as much of the text as brackets and numbers need.
class TextCheck {
public:
  explicit TextCheck(llvm::StringRef text) : text(text) {}

  Status run();

private:
  Status fail(const std::string &what) const {
    return Error{"line " + std::to_string(line) + ": " + what};
  }
  void skipString();
  void skipComment();
  Status open(char bracket);
  void close(char bracket);
  Status readNumber();

  llvm::StringRef text;
  size_t at = 0, line = 1;
  /// The last word, which says what a '<' opens.
  llvm::StringRef word;
  /// 'l' for a list whose numbers are checked, else the bracket.
  llvm::SmallVector<char> brackets;
};

} // namespace

void TextCheck::skipString() {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    line += text[at] == '\n';
    at += text[at] == '\\';
  }
  ++at;
}

void TextCheck::skipComment() {
  at = std::min(text.find('\n', at), text.size());
}

Status TextCheck::open(char bracket) {
  constexpr size_t deepest = 100;
  bool isDense = !brackets.empty() && brackets.back() == 'd';
  char kind = bracket;
  if (bracket == '<' && word == "dense")
    kind = 'd';
  else if (isDense)
    kind = 'd';
  else if (bracket == '[' || (bracket == '<' && word == "array"))
    kind = 'l';
  brackets.push_back(kind);
  ++at;
  if (brackets.size() > deepest)
    return fail("brackets are nested more than " + std::to_string(deepest) +
                " deep");
  return {};
}

void TextCheck::close(char bracket) {
  // That of an arrow closes nothing.
  bool isArrow = bracket == '>' && at > 0 && text[at - 1] == '-';
  if (!isArrow && !brackets.empty())
    brackets.pop_back();
  ++at;
}

Status TextCheck::readNumber() {
  llvm::StringRef number = text.substr(at).take_while(llvm::isAlnum);
  at += number.size();
  uint64_t value = 0;
  bool isHex = number.starts_with("0x");
  llvm::StringRef digits =
      isHex ? number.drop_front(2).take_while(llvm::isHexDigit)
            : number.take_while(llvm::isDigit);
  bool isSmall =
      digits.empty() ||
      (!digits.getAsInteger(isHex ? 16 : 10, value) && value <= INT32_MAX);
  if (isSmall || brackets.empty() || brackets.back() != 'l')
    return {};
  return fail("expected a number of at most 31 bits in a list, got " +
              number.str());
}

Status TextCheck::run() {
  while (at < text.size()) {
    char c = text[at];
    Status status;
    if (c == '"')
      skipString();
    else if (text.substr(at).starts_with("//"))
      skipComment();
    else if (llvm::isDigit(c))
      status = readNumber();
    else if (llvm::isAlpha(c) || c == '_' || c == '!' || c == '#' || c == '%' ||
             c == '@' || c == '^') {
      word = text.substr(at).take_while([](char next) {
        return llvm::isAlnum(next) ||
               llvm::StringRef("_.$!#%@^").contains(next);
      });
      at += word.size();
    } else if (c == '(' || c == '[' || c == '{' || c == '<')
      status = open(c);
    else if (c == ')' || c == ']' || c == '}' || c == '>')
      close(c);
    else {
      line += c == '\n';
      ++at;
    }
    if (!status)
      return status;
  }
  return {};
}

Status checkText(std::string_view text) { return TextCheck(text).run(); }

} // namespace convmlir::emu
