//===- Kernels.h - what all kernels share -----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of PyTorch's two operators (Override.h) and of our three
// (Operators.h): where they are registered, the rules, and how a rule is asked
// for and run.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_KERNELS_H
#define CONV_LIB_CAPI_TORCH_KERNELS_H

#include "Slots.h"

#include <map>
#include <string>

namespace convmlir::torch {

/// Kernels of a dispatcher are functions without a state of their own: it is
/// here, once for the process.
struct Kernels {
  StableAbi abi{};
  /// By namespace and dispatch key.
  std::map<std::pair<std::string, std::string>, LibraryHandle> libraries;
  std::string decide, run; ///< Beginnings of names of the host's operators.
  Rules rules;
};
Kernels &getKernels();

/// The signature that is decided about on this thread; empty where none is.
std::span<const int64_t> getUndecided();

/// Calls an operator of the host program, which may add a rule for a signature.
/// False where it has failed.
bool ask(Kernels &in, const std::string &name, const Signature &signature,
         Value *stack);

/// Runs a rule and counts the call; true where it has made the results. Throws
/// where a plan has failed.
bool runCounted(Kernels &in, const Rule &rule, const Call &call, Slots &slots);

struct KernelOf {
  Operator op;
  BoxedKernel run;
};

/// Registers kernels of operators of a namespace for a dispatch key, which has
/// none yet.
Status registerKernels(Kernels &in, const std::string &space,
                       const std::string &key,
                       std::initializer_list<KernelOf> kernels);

/// Removes them, and the rules of these operators for tensors of the key.
void removeKernels(Kernels &in, const std::string &space,
                   const std::string &key);

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_KERNELS_H
