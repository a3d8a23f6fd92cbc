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

#include "conv/Support/BracketNesting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace convmlir;
using llvm::StringRef;

namespace {

/// Reads as much of a text as brackets and numbers need.
class BracketReader {
public:
  BracketReader(StringRef text, const std::string &name,
                const NumberCheck &checkNumber)
      : text(text), name(name), checkNumber(checkNumber) {}

  Status run();

private:
  Error fail(size_t place, const std::string &what) const;
  Status readNext();
  Status readNumber();
  Status open(char bracket);
  void close(char bracket);
  void readWord();
  void skipString();

  StringRef text;
  const std::string &name;
  const NumberCheck &checkNumber;
  size_t at = 0;
  /// The last one, which says what a bracket opens.
  StringRef word;
  llvm::SmallVector<OpenBracket, kMostNestedBrackets> brackets;
};

} // namespace

Error BracketReader::fail(size_t place, const std::string &what) const {
  StringRef before = text.take_front(place);
  size_t line = before.count('\n') + 1;
  size_t column = place - (before.rfind('\n') + 1) + 1;
  return Error{name + ":" + std::to_string(line) + ":" +
               std::to_string(column) + ": " + what};
}

/// A string literal ends with its line at the latest.
void BracketReader::skipString() {
  ++at;
  while (at < text.size() && text[at] != '"' && text[at] != '\n')
    at += text[at] == '\\' ? 2 : 1;
  ++at;
}

static bool isInWord(char c) {
  return llvm::isAlnum(c) || StringRef("_.$!#%@^").contains(c);
}

void BracketReader::readWord() {
  word = text.substr(at).take_while(isInWord);
  at += word.size();
}

Status BracketReader::readNumber() {
  size_t place = at;
  StringRef number = text.substr(at).take_while(llvm::isAlnum);
  at += number.size();
  std::string why = checkNumber ? checkNumber(number, brackets) : "";
  return why.empty() ? Status() : fail(place, why);
}

Status BracketReader::open(char bracket) {
  if (brackets.size() == kMostNestedBrackets)
    return fail(at, "expected brackets that are nested " +
                        std::to_string(kMostNestedBrackets) +
                        " deep at most, got one more");
  brackets.push_back({bracket, word});
  ++at;
  return {};
}

/// Closes the innermost bracket of its kind, and those within it: a "<" may be
/// a comparison.
void BracketReader::close(char bracket) {
  ++at;
  char wanted = bracket == ')'   ? '('
                : bracket == ']' ? '['
                : bracket == '}' ? '{'
                                 : '<';
  if (wanted == '<') {
    if (!brackets.empty() && brackets.back().bracket == wanted)
      brackets.pop_back();
    return;
  }
  auto found = llvm::find_if(llvm::reverse(brackets), [&](OpenBracket open) {
    return open.bracket == wanted;
  });
  if (found != brackets.rend())
    brackets.truncate(brackets.rend() - found - 1);
}

Status BracketReader::readNext() {
  char c = text[at];
  if (llvm::isDigit(c))
    return readNumber();
  if (StringRef("([{<").contains(c))
    return open(c);
  if (StringRef(")]}>").contains(c))
    close(c);
  else if (c == '"')
    skipString();
  else if (isInWord(c))
    readWord();
  else if (text.substr(at).starts_with("//"))
    at = std::min(text.find('\n', at), text.size());
  else
    at += text.substr(at).starts_with("->") ? 2 : 1;
  return {};
}

Status BracketReader::run() {
  while (at < text.size())
    if (Status status = readNext(); !status)
      return status;
  return {};
}

Status convmlir::checkNesting(std::string_view text, const std::string &name,
                              const NumberCheck &checkNumber) {
  if (StringRef(text).starts_with("ML\xefR")) // Bytecode has no brackets.
    return {};
  return BracketReader(text, name, checkNumber).run();
}
