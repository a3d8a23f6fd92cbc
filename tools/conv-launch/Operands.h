//===- Operands.h - which option means which operand ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: values of --input, --expect or --output, each [NAME=]SPEC. Output: the
// value for each operand.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_LAUNCH_OPERANDS_H
#define CONV_TOOLS_CONV_LAUNCH_OPERANDS_H

#include "conv/Problem/Problem.h"
#include "conv/Support/Result.h"

#include <string>
#include <vector>

namespace convmlir {

/// For each operand the SPEC that is given for it; empty: none. Either all have
/// names or none has: then they are meant in the order of the operands.
Result<std::vector<std::string>>
assignToOperands(const std::string &option,
                 const std::vector<std::string> &values,
                 const std::vector<TensorSpec> &operands);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_LAUNCH_OPERANDS_H
