//===- Rules.h - what runs for which call -----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_RULES_H
#define CONV_LIB_CAPI_TORCH_RULES_H

#include "Call.h"

#include "conv-c/Cuda.h"

#include <atomic>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

namespace convmlir::torch {

/// A tensor that a rule makes.
struct RuleResult {
  int32_t slot, like;
  std::vector<int64_t> extents, strides;
  std::optional<int32_t> dtype = {}; ///< Nothing: that of `like`.
};

/// A plan that a rule runs: on a GPU, or on the emulator.
struct RuleStep {
  const convmlir_program *program;
  const convmlir_plan *plan;
  std::vector<int32_t> slots;
  size_t workspaceBytes;
};

/// An input that a plan copies first: what `copy` makes takes its place.
struct RuleCopy {
  RuleResult copy; ///< Its slot and `like` are those of the input.
  const convmlir_program *program;
  const convmlir_plan *plan;
};

/// An input that is converted first. Codes are PyTorch's; nothing: as it is.
struct RuleConversion {
  int32_t slot;
  std::optional<int32_t> dtype, format;
  bool isLine = false;                ///< The format is that of N, C, 1, W.
  std::optional<int64_t> extent = {}; ///< Of a vector of so many elements.
  /// In the place of PyTorch's copy, where the address is a multiple of 16.
  std::optional<RuleCopy> byPlan = {};
};

/// What became of a call by its rule.
enum class Outcome {
  Served,
  // What follows is PyTorch's kernel; of our operators, the host program's.
  HandedOn,  ///< The rule has no steps.
  Unaligned, ///< An address is no multiple of 16.
  Refused,   ///< PyTorch gave no tensor or no stream: its kernel says why.
  Failed,    ///< A plan: convmlir_last_error() says why.
};

/// What rules of a signature did: a rule that takes the place of another goes
/// on counting.
struct RuleCounts {
  std::array<std::atomic<int64_t>, 5> calls{}; ///< By outcome.

  std::atomic<int64_t> &of(Outcome outcome) {
    return calls[static_cast<size_t>(outcome)];
  }
};

struct Rule {
  std::vector<RuleConversion> conversions;
  std::vector<RuleResult> results;
  std::vector<RuleStep> steps;
  /// The next call asks whether there should be another rule.
  mutable std::atomic<bool> asksAgain = false;
  std::shared_ptr<RuleCounts> counts = std::make_shared<RuleCounts>();
};

/// Rules by signatures. Calls of many threads look up at the same time.
class Rules {
public:
  std::shared_ptr<const Rule> find(std::span<const int64_t> words) const;
  void set(std::span<const int64_t> words, std::shared_ptr<Rule> rule);
  void remove(std::span<const int64_t> words);
  void erase(const std::function<bool(std::span<const int64_t>)> &which);

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::span<const int64_t> words) const;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::span<const int64_t> a,
                    std::span<const int64_t> b) const;
  };
  mutable std::shared_mutex mutex;
  std::unordered_map<std::vector<int64_t>, std::shared_ptr<const Rule>, Hash,
                     Equal>
      rules;
};

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_RULES_H
