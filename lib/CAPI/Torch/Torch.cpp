//===- Torch.cpp - the C API of the override
//--------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Handles.h"
#include "Override.h"
#include "ReadRule.h"

#include <mutex>
#include <utility>

using namespace convmlir;
using namespace convmlir::capi;
using namespace convmlir::torch;

/// Guards enabling and disabling; calls may be running meanwhile.
static std::mutex &enabling() {
  static std::mutex mutex;
  return mutex;
}

convmlir_status convmlir_torch_check(const char *libtorch,
                                     const char *libtorch_cuda) {
  return guarded([&] {
    if (!libtorch)
      return missing("libtorch");
    Result<StableAbi> abi = StableAbi::load(libtorch, orEmpty(libtorch_cuda));
    return abi ? CONVMLIR_OK : badInput(abi.error());
  });
}

convmlir_status convmlir_torch_enable(const char *key, const char *libtorch,
                                      const char *libtorch_cuda,
                                      const char *decide) {
  return guarded([&] {
    if (!key || !libtorch || !decide)
      return missing(!key ? "key" : !libtorch ? "libtorch" : "decide");
    std::scoped_lock lock(enabling());
    Override &in = getOverride();
    if (in.libraries.contains(key))
      return badInput("key '" + std::string(key) + "' is overridden already");
    Result<StableAbi> abi = StableAbi::load(libtorch, orEmpty(libtorch_cuda));
    if (!abi)
      return badInput(abi.error());
    in.abi = *abi;
    in.decideConvolution = std::string(decide) + "_convolution";
    in.decideBackward = std::string(decide) + "_convolution_backward";
    Status status = registerKernels(in, key);
    return status ? CONVMLIR_OK : badInput(status.error());
  });
}

convmlir_status convmlir_torch_disable(const char *key) {
  return guarded([&] {
    if (!key)
      return missing("key");
    std::scoped_lock lock(enabling());
    removeKernels(getOverride(), key);
    return CONVMLIR_OK;
  });
}

convmlir_status convmlir_torch_get_signature(const int64_t **words,
                                             size_t *count) {
  return guarded([&] {
    if (!words || !count)
      return missing(words ? "count" : "words");
    std::span<const int64_t> undecided = getUndecided();
    if (undecided.empty())
      return badInput("no call is decided about on this thread");
    *words = undecided.data();
    *count = undecided.size();
    return CONVMLIR_OK;
  });
}

convmlir_status convmlir_torch_add_rule(const int64_t *words, size_t count,
                                        const convmlir_torch_rule *rule) {
  return guarded([&] {
    if (!words || !rule)
      return missing(words ? "rule" : "words");
    if (getOverride().libraries.empty())
      return badInput("no override is enabled");
    Result<std::shared_ptr<Rule>> read = readRule(getOverride().abi, *rule);
    if (!read)
      return badInput(read.error());
    getOverride().rules.set({words, count}, std::move(*read));
    return CONVMLIR_OK;
  });
}

/// Calls `use` with the rule of a signature.
template <typename Use>
static convmlir_status withRule(const int64_t *words, size_t count, Use use) {
  return guarded([&] {
    if (!words)
      return missing("words");
    std::shared_ptr<const Rule> rule = getOverride().rules.find({words, count});
    return rule ? use(*rule) : badInput("there is no rule of this signature");
  });
}

convmlir_status convmlir_torch_ask_again(const int64_t *words, size_t count) {
  return withRule(words, count, [](const Rule &rule) {
    rule.asksAgain = true;
    return CONVMLIR_OK;
  });
}

convmlir_status convmlir_torch_remove_rule(const int64_t *words, size_t count) {
  return guarded([&] {
    if (!words)
      return missing("words");
    getOverride().rules.remove({words, count});
    return CONVMLIR_OK;
  });
}

convmlir_status convmlir_torch_count(const int64_t *words, size_t count,
                                     convmlir_torch_counts *counts) {
  return withRule(words, count, [&](const Rule &rule) {
    convmlir_torch_counts found{};
    found.calls = rule.counts->of(Outcome::Served);
    found.handed_on = rule.counts->of(Outcome::HandedOn);
    found.unaligned = rule.counts->of(Outcome::Unaligned);
    found.refused = rule.counts->of(Outcome::Refused);
    return fill(counts, found, "counts");
  });
}
