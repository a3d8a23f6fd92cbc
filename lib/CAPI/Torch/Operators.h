//===- Operators.h - kernels of our operators -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_OPERATORS_H
#define CONV_LIB_CAPI_TORCH_OPERATORS_H

#include "Kernels.h"

namespace convmlir::torch {

/// Registers kernels for a dispatch key, of the operators in a namespace: those
/// with one text behind their tensors, or the others.
Status registerOperators(Kernels &in, const std::string &space,
                         const std::string &key, bool areBrief);

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_OPERATORS_H
