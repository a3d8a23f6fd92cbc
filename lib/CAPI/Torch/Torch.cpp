//===- Torch.cpp - the C API of kernels of PyTorch ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Handles.h"
#include "Operators.h"
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

namespace {
/// Where kernels are registered.
struct Place {
  const char *space, *key, *libtorch, *libtorch_cuda;
};
} // namespace

/// Registers kernels by `add`. The host's operators have names that begin with
/// `prefix`, which is kept in `begin`.
template <typename Add>
static convmlir_status enable(const Place &place, const char *prefix,
                              std::string Kernels::*begin, Add add) {
  std::scoped_lock lock(enabling());
  Kernels &in = getKernels();
  if (in.libraries.contains({place.space, place.key}))
    return badInput("key '" + std::string(place.key) + "' of " + place.space +
                    " is enabled already");
  // Calls of other kernels may be running: they read what is there.
  if (in.libraries.empty()) {
    Result<StableAbi> abi =
        StableAbi::load(place.libtorch, orEmpty(place.libtorch_cuda));
    if (!abi)
      return badInput(abi.error());
    in.abi = *abi;
  }
  in.*begin = prefix;
  Status status = add(in);
  return status ? CONVMLIR_OK : badInput(status.error());
}

convmlir_status convmlir_torch_enable(const char *key, const char *libtorch,
                                      const char *libtorch_cuda,
                                      const char *decide) {
  return guarded([&] {
    if (!key || !libtorch || !decide)
      return missing(!key ? "key" : !libtorch ? "libtorch" : "decide");
    return enable({"aten", key, libtorch, libtorch_cuda}, decide,
                  &Kernels::decide,
                  [&](Kernels &in) { return registerOverride(in, key); });
  });
}

convmlir_status convmlir_torch_enable_operators(const char *space,
                                                const char *key, int32_t brief,
                                                const char *libtorch,
                                                const char *libtorch_cuda,
                                                const char *run) {
  return guarded([&] {
    if (!space || !key || !libtorch || !run)
      return missing(!space      ? "space"
                     : !key      ? "key"
                     : !libtorch ? "libtorch"
                                 : "run");
    return enable({space, key, libtorch, libtorch_cuda}, run, &Kernels::run,
                  [&](Kernels &in) {
                    return registerOperators(in, space, key, brief != 0);
                  });
  });
}

static convmlir_status disable(const char *space, const char *key) {
  return guarded([&] {
    if (!space || !key)
      return missing(!space ? "space" : "key");
    std::scoped_lock lock(enabling());
    removeKernels(getKernels(), space, key);
    return CONVMLIR_OK;
  });
}

convmlir_status convmlir_torch_disable(const char *key) {
  return disable("aten", key);
}

convmlir_status convmlir_torch_disable_operators(const char *space,
                                                 const char *key) {
  return disable(space, key);
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
    Kernels &in = getKernels();
    if (in.libraries.empty())
      return badInput("no kernels of PyTorch are enabled");
    std::optional<Operator> op = findOperator({words, count});
    if (!op)
      return badInput("words: expected those of a signature");
    Result<std::shared_ptr<Rule>> read =
        readRule(in.abi, getSchema(*op), *rule);
    if (!read)
      return badInput(read.error());
    in.rules.set({words, count}, std::move(*read));
    return CONVMLIR_OK;
  });
}

/// Calls `use` with the rule of a signature.
template <typename Use>
static convmlir_status withRule(const int64_t *words, size_t count, Use use) {
  return guarded([&] {
    if (!words)
      return missing("words");
    std::shared_ptr<const Rule> rule = getKernels().rules.find({words, count});
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
    getKernels().rules.remove({words, count});
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
