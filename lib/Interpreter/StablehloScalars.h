//===- StablehloScalars.h - one element of StableHLO ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What elementwise operations of StableHLO and CHLO mean, by their definition.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_INTERPRETER_STABLEHLOSCALARS_H
#define CONV_LIB_INTERPRETER_STABLEHLOSCALARS_H

#include "ScalarFunctions.h"
#include "conv/Dialect/StableHLO/IR/StableHLOOps.h"

#include <optional>

namespace mlir::conv {

/// Of elements of the operands that of the result, before it is rounded to its
/// type; nothing of an operation that is not elementwise.
std::optional<Scalar> computeScalar(Operation &op, const Scalar *operands);

/// Whether the comparison holds.
bool compareScalars(stablehlo::CompareOp op, Scalar a, Scalar b);

} // namespace mlir::conv

#endif // CONV_LIB_INTERPRETER_STABLEHLOSCALARS_H
