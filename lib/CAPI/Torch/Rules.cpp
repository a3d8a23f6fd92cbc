//===- Rules.cpp - what runs for which call -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include <algorithm>
#include <mutex>

using namespace convmlir::torch;

size_t Rules::Hash::operator()(std::span<const int64_t> words) const {
  constexpr uint64_t odd = 0x9E3779B97F4A7C15; // 2^64 over the golden ratio.
  uint64_t hash = words.size();
  for (int64_t word : words) {
    hash = (hash ^ static_cast<uint64_t>(word)) * odd;
    hash ^= hash >> 32;
  }
  return hash;
}

bool Rules::Equal::operator()(std::span<const int64_t> a,
                              std::span<const int64_t> b) const {
  return std::ranges::equal(a, b);
}

std::shared_ptr<const Rule> Rules::find(std::span<const int64_t> words) const {
  std::shared_lock lock(mutex);
  auto found = rules.find(words);
  return found == rules.end() ? nullptr : found->second;
}

void Rules::set(std::span<const int64_t> words, std::shared_ptr<Rule> rule) {
  std::unique_lock lock(mutex);
  auto &entry = rules[std::vector<int64_t>(words.begin(), words.end())];
  if (entry)
    rule->counts = entry->counts;
  entry = std::move(rule);
}

void Rules::remove(std::span<const int64_t> words) {
  std::unique_lock lock(mutex);
  auto found = rules.find(words);
  if (found != rules.end())
    rules.erase(found);
}

void Rules::erase(const std::function<bool(std::span<const int64_t>)> &which) {
  std::unique_lock lock(mutex);
  std::erase_if(rules, [&](const auto &rule) { return which(rule.first); });
}
