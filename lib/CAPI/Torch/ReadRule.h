//===- ReadRule.h - rules as the C API has them -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_READRULE_H
#define CONV_LIB_CAPI_TORCH_READRULE_H

#include "Rules.h"

#include "conv-c/Torch.h"

namespace convmlir::torch {

/// Of an operator. The error says what was expected.
Result<std::shared_ptr<Rule>> readRule(const StableAbi &abi,
                                       const Schema &schema,
                                       const convmlir_torch_rule &rule);

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_READRULE_H
