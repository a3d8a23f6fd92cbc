//===- Kernels.cpp - what all kernels share -------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "conv-c/Support.h"

using namespace convmlir;
using namespace convmlir::torch;

Kernels &convmlir::torch::getKernels() {
  static Kernels instance;
  return instance;
}

static thread_local std::span<const int64_t> undecided;

std::span<const int64_t> convmlir::torch::getUndecided() { return undecided; }

bool convmlir::torch::ask(Kernels &in, const std::string &name,
                          const Signature &signature, Value *stack) {
  // Deciding may run convolutions, which are decided about in between.
  auto outer = std::exchange(undecided, signature.get());
  int32_t status = in.abi.callDispatcher(name.c_str(), "", stack, kAbiVersion);
  undecided = outer;
  return status == 0;
}

bool convmlir::torch::runCounted(Kernels &in, const Rule &rule,
                                 const Call &call, Slots &slots) {
  Outcome outcome = runRule(in.abi, rule, call, slots);
  ++rule.counts->of(outcome);
  if (outcome == Outcome::Failed)
    in.abi.raise(__func__, __FILE__, __LINE__, convmlir_last_error());
  return outcome == Outcome::Served;
}

Status
convmlir::torch::registerKernels(Kernels &in, const std::string &space,
                                 const std::string &key,
                                 std::initializer_list<KernelOf> kernels) {
  LibraryHandle library = nullptr;
  if (in.abi.newLibrary(space.c_str(), key.c_str(), __FILE__, __LINE__,
                        &library) != 0)
    return Error{"PyTorch has no dispatch key '" + key + "'"};
  for (const KernelOf &kernel : kernels) {
    const char *name = getSchema(kernel.op).name;
    if (in.abi.addKernel(library, name, kernel.run, kAbiVersion) == 0)
      continue;
    in.abi.deleteLibrary(library);
    return Error{"PyTorch takes no kernel of " + space + "::" + name +
                 " for the key '" + key + "'"};
  }
  in.libraries[{space, key}] = library;
  return {};
}

void convmlir::torch::removeKernels(Kernels &in, const std::string &space,
                                    const std::string &key) {
  auto found = in.libraries.find({space, key});
  if (found == in.libraries.end())
    return;
  in.abi.deleteLibrary(found->second);
  in.libraries.erase(found);
  bool areOurs = space != "aten", isCpu = key == "CPU";
  int32_t cpu = in.abi.cpuType();
  in.rules.erase([&](std::span<const int64_t> words) {
    std::optional<Operator> op = findOperator(words);
    return op && isOurs(*op) == areOurs &&
           (Signature::getDeviceType(words) == cpu) == isCpu;
  });
}
