//===- Override.h - kernels of PyTorch's convolutions ------------*- C++
//-*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_OVERRIDE_H
#define CONV_LIB_CAPI_TORCH_OVERRIDE_H

#include "Rules.h"

#include <map>
#include <string>

namespace convmlir::torch {

/// Kernels of a dispatcher are functions without a state of their own: it is
/// here, once for the process.
struct Override {
  StableAbi abi{};
  std::map<std::string, LibraryHandle> libraries; ///< By dispatch key.
  std::string decideConvolution, decideBackward;  ///< Operators.
  Rules rules;
};
Override &getOverride();

/// The signature that is decided about on this thread; empty where none is.
std::span<const int64_t> getUndecided();

/// Puts the kernels in front of PyTorch's for a dispatch key, which has none
/// yet.
Status registerKernels(Override &in, const std::string &key);

/// Takes them away, and the rules of their tensors.
void removeKernels(Override &in, const std::string &key);

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_OVERRIDE_H
