//===- Words.h - words and numbers of a text --------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the grammars of problems have in common.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PROBLEM_WORDS_H
#define CONV_LIB_PROBLEM_WORDS_H

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace convmlir {

/// The words between blanks.
inline std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  std::vector<std::string_view> list;
  for (size_t begin = 0;
       (begin = text.find_first_not_of(blank, begin)) != text.npos;) {
    size_t end = std::min(text.find_first_of(blank, begin), text.size());
    list.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return list;
}

/// A whole decimal number, nothing where the text is anything else.
inline std::optional<int64_t> parseNumber(std::string_view text) {
  int64_t value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

} // namespace convmlir

#endif // CONV_LIB_PROBLEM_WORDS_H
