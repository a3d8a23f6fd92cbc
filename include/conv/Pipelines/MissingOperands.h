//===- MissingOperands.h - numbers that stand for operands ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: operations that verify. Output: the first one that MLIR's verifier
// should have refused (docs/Upstream.md): the least integer in a list of pads
// or of inner tiles stands for an operand, and there is none.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINES_MISSINGOPERANDS_H
#define CONV_PIPELINES_MISSINGOPERANDS_H

#include "mlir/IR/Operation.h"

#include <string>

namespace mlir::conv {

/// The first one in `root`; null where there is none.
Operation *findMissingOperands(Operation *root);

/// What is wrong with it, without its place.
std::string describeMissingOperands(Operation *op);

} // namespace mlir::conv

#endif // CONV_PIPELINES_MISSINGOPERANDS_H
