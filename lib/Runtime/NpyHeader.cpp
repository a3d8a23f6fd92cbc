//===- NpyHeader.cpp - parser of the .npy header --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyHeader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace convmlir {

namespace {
/// Recursive descent over the one dictionary that NumPy writes. The first
/// failure is kept and makes everything after it fail.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  Result<NpyHeader> parse();

private:
  bool parseEntry();
  bool parseDescr();
  bool parseOrder();
  bool parseShape();

  void skipSpace();
  bool isNext(char expected);
  bool consume(char expected);
  bool separate(char closing);
  bool expect(char expected);
  bool parseString(std::string &value);
  bool parseWord(std::string &value);
  bool fail(std::string message);

  std::string_view text;
  size_t position = 0;
  NpyHeader header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
  std::string failure;
};
} // namespace

bool HeaderParser::fail(std::string message) {
  if (failure.empty())
    failure = "bad .npy header: " + std::move(message);
  return false;
}

void HeaderParser::skipSpace() {
  while (position < text.size() &&
         std::isspace(static_cast<unsigned char>(text[position])))
    ++position;
}

bool HeaderParser::isNext(char expected) {
  skipSpace();
  return position < text.size() && text[position] == expected;
}

bool HeaderParser::consume(char expected) {
  if (!isNext(expected))
    return false;
  ++position;
  return true;
}

/// After an element of a list: a comma, which may be left out before the end.
bool HeaderParser::separate(char closing) {
  return isNext(closing) || expect(',');
}

bool HeaderParser::expect(char expected) {
  if (consume(expected))
    return true;
  std::string found = position < text.size()
                          ? std::string("'") + text[position] + "'"
                          : std::string("the end");
  return fail(std::string("expected '") + expected + "' at character " +
              std::to_string(position) + ", got " + found);
}

bool HeaderParser::parseString(std::string &value) {
  char quote = isNext('"') ? '"' : '\'';
  if (!expect(quote))
    return false;
  size_t end = text.find(quote, position);
  if (end == std::string_view::npos)
    return fail("a string is not closed");
  value = text.substr(position, end - position);
  position = end + 1;
  return true;
}

/// Letters and digits: False, True or a number.
bool HeaderParser::parseWord(std::string &value) {
  skipSpace();
  size_t begin = position;
  while (position < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[position])) ||
          text[position] == '-'))
    ++position;
  value = text.substr(begin, position - begin);
  return !value.empty() ||
         fail("expected a value at character " + std::to_string(begin));
}

bool HeaderParser::parseDescr() {
  std::string descr;
  if (isNext('['))
    return fail("records (structured dtypes) are not supported");
  if (!parseString(descr))
    return false;
  static constexpr std::string_view supported[] = {
      "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4"};
  if (descr.size() == 3 && descr[0] == '>' && descr[2] != '1')
    return fail("big-endian data ('" + descr + "') is not supported");
  std::string name = descr.size() == 3 && (descr[0] == '<' || descr[2] == '1')
                         ? descr.substr(1)
                         : std::string();
  if (std::find(std::begin(supported), std::end(supported), name) ==
      std::end(supported))
    return fail("unsupported dtype '" + descr +
                "', expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4, little "
                "endian");
  header.kind = name[0];
  header.elementBytes = name[1] - '0';
  return true;
}

bool HeaderParser::parseOrder() {
  std::string word;
  if (!parseWord(word))
    return false;
  if (word == "False")
    return true;
  if (word == "True")
    return fail("Fortran order is not supported: save "
                "numpy.ascontiguousarray(array)");
  return fail("expected False or True as fortran_order, got '" + word + "'");
}

bool HeaderParser::parseShape() {
  if (!expect('('))
    return false;
  while (!consume(')')) {
    std::string word;
    if (!parseWord(word))
      return false;
    int64_t extent = 0;
    auto [end, code] =
        std::from_chars(word.data(), word.data() + word.size(), extent);
    if (code != std::errc() || end != word.data() + word.size() || extent < 0)
      return fail("bad extent '" + word + "' in the shape");
    header.shape.push_back(extent);
    if (header.shape.size() > 32)
      return fail("the shape has more than 32 dimensions");
    if (!separate(')'))
      return false;
  }
  return true;
}

bool HeaderParser::parseEntry() {
  std::string key;
  if (!parseString(key) || !expect(':'))
    return false;
  struct Entry {
    std::string_view key;
    bool HeaderParser::*seen;
    bool (HeaderParser::*parse)();
  };
  static constexpr Entry entries[] = {
      {"descr", &HeaderParser::hasDescr, &HeaderParser::parseDescr},
      {"fortran_order", &HeaderParser::hasOrder, &HeaderParser::parseOrder},
      {"shape", &HeaderParser::hasShape, &HeaderParser::parseShape}};
  for (const Entry &entry : entries) {
    if (key != entry.key)
      continue;
    if (this->*entry.seen)
      return fail("'" + key + "' appears twice");
    this->*entry.seen = true;
    return (this->*entry.parse)();
  }
  return fail("unknown key '" + key + "'");
}

Result<NpyHeader> HeaderParser::parse() {
  bool good = expect('{');
  while (good && !consume('}'))
    good = parseEntry() && separate('}');
  skipSpace();
  if (good && position != text.size())
    good = fail("text after the closing brace");
  if (good && !(hasDescr && hasOrder && hasShape))
    good = fail("one of descr, fortran_order and shape is absent");
  if (!good)
    return Error{failure};
  return header;
}

Result<NpyHeader> parseNpyHeader(std::string_view text) {
  return HeaderParser(text).parse();
}

} // namespace convmlir
