//===- Fuzzing.h - what fuzz targets share ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target gets bytes of any kind. It must take them as what they claim to be
// or say why not, without a crash, a sanitizer's report or a loop; what it
// takes must keep the promises of its header, which expect() checks.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_FUZZ_FUZZING_H
#define CONV_FUZZ_FUZZING_H

#include "conv/Support/Result.h"

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

namespace convmlir::fuzzing {

/// Ends the process where a promise is broken: a finding.
inline void expect(bool holds, const std::string &promise) {
  if (holds)
    return;
  std::fprintf(stderr, "expected that %s\n", promise.c_str());
  std::abort();
}

inline std::string_view asText(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

#ifdef CONV_FUZZ_NOTES
/// Of outcomes, which libFuzzer counts as it does branches: it keeps inputs
/// with a new one. So it finds its way where the code under test was compiled
/// without instrumentation.
[[gnu::section("__libfuzzer_extra_counters"),
  gnu::used]] inline uint8_t outcomeCounters[1 << 12];

/// Notes what became of an input. Messages that differ in numbers and names in
/// quotes are one outcome.
inline void note(std::string_view message) {
  std::string kind;
  bool isQuoted = false;
  for (char c : message) {
    isQuoted ^= c == '\'';
    if (!isQuoted && !std::isdigit(static_cast<unsigned char>(c)))
      kind += c;
  }
  outcomeCounters[std::hash<std::string>()(kind) % sizeof outcomeCounters] = 1;
}
#else
inline void note(std::string_view message) {}
#endif

/// A refusal says why.
inline void noteRefusal(const std::string &message) {
  expect(!message.empty(), "an error has a message");
  note(message);
}

} // namespace convmlir::fuzzing

#endif // CONV_FUZZ_FUZZING_H
