//===- PlanBuilder.h - from a lowered module to a plan ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the host function of form F8 (buffers in, result buffers last;
// allocations, constants and launches in order). Output: the buffers and
// launches of a plan, without code.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_PLANBUILDER_H
#define CONV_COMPILER_PLANBUILDER_H

#include "conv/Runtime/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace mlir::conv {

/// Names of the function's arguments and results, for messages.
struct SignatureNames {
  std::vector<std::string> arguments;
  std::vector<std::string> results;
};

/// The plan of a host function whose last arguments are its results. The error
/// names the operation that no plan can hold, and its location.
convmlir::Result<convmlir::Plan> buildPlan(func::FuncOp host,
                                           const SignatureNames &names);

} // namespace mlir::conv

#endif // CONV_COMPILER_PLANBUILDER_H
