//===- TextMutator.cpp - mutations of texts -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a text. Output: the text with another number, another word or other
// lines. libFuzzer changes bytes, which mostly leaves what no parser takes;
// half of the mutations here keep the form of a text, and the rest are its own.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
struct Range {
  size_t begin, size;
};
using Random = std::minstd_rand;
} // namespace

/// The longest runs of characters of one kind.
template <typename Kind>
static std::vector<Range> findRuns(const std::string &text, Kind isOfKind) {
  std::vector<Range> runs;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && isOfKind(text[end]))
      ++end;
    if (end > begin)
      runs.push_back({begin, end - begin});
    begin = end + 1;
  }
  return runs;
}

static bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}
static bool isOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         (c != '\0' && std::strchr("_.%@#!$-", c));
}
static bool isOfLine(char c) { return c != '\n'; }

static Range pick(const std::vector<Range> &ranges, Random &random) {
  return ranges.empty() ? Range{0, 0} : ranges[random() % ranges.size()];
}

/// Small extents mostly, and what lies at the edges of types.
static std::string makeNumber(Random &random) {
  static const char *const edges[] = {"-1",
                                      "65536",
                                      "2147483647",
                                      "2147483648",
                                      "4294967296",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "18446744073709551615"};
  if (random() % 4 == 0)
    return edges[random() % std::size(edges)];
  return std::to_string(random() % 2 ? random() % 9 : random() % 300);
}

static void changeNumber(std::string &text, Random &random) {
  Range number = pick(findRuns(text, isDigit), random);
  text.replace(number.begin, number.size, makeNumber(random));
}

/// One word, or line, in the place of another one, behind it, or gone.
static void changeRun(std::string &text, const std::vector<Range> &runs,
                      const char *separator, Random &random) {
  Range to = pick(runs, random), from = pick(runs, random);
  std::string other = text.substr(from.begin, from.size);
  switch (random() % 3) {
  case 0:
    text.replace(to.begin, to.size, other);
    return;
  case 1:
    text.insert(to.begin + to.size, separator + other);
    return;
  default:
    text.erase(to.begin, to.size);
  }
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  std::string text(reinterpret_cast<const char *>(data), size);
  switch (random() % 6) {
  case 0:
    changeNumber(text, random);
    break;
  case 1:
    changeRun(text, findRuns(text, isOfWord), " ", random);
    break;
  case 2:
    changeRun(text, findRuns(text, isOfLine), "\n", random);
    break;
  default:
    return LLVMFuzzerMutate(data, size, maxSize);
  }
  size_t changed = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), changed);
  return changed;
}
