//===- Override.h - kernels of PyTorch's convolutions -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_OVERRIDE_H
#define CONV_LIB_CAPI_TORCH_OVERRIDE_H

#include "Kernels.h"

namespace convmlir::torch {

/// Puts the kernels in front of PyTorch's for a dispatch key, which has none
/// yet.
Status registerOverride(Kernels &in, const std::string &key);

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_OVERRIDE_H
