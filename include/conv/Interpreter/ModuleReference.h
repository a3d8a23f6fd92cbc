//===- ModuleReference.h - what a function means, in f64 --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a function, as it was given or of form F0, and its arguments. Output:
// its results, operation by operation: convolutions by their definition, linalg
// by its loops.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_INTERPRETER_MODULEREFERENCE_H
#define CONV_INTERPRETER_MODULEREFERENCE_H

#include "conv/Interpreter/ReferenceTensor.h"
#include "conv/Support/Precision.h"
#include "conv/Support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <vector>

namespace mlir::conv {

/// Whether evaluateFunction() knows every operation; the error names one that
/// it does not know, and its location.
convmlir::Status checkReference(func::FuncOp function);

/// Evaluates the function: integers exactly, floats in f64, rounded where the
/// function has a type narrower than f32. With Precision::More, products and
/// sums that convert-linalg-to-conv makes more precise are rounded once, to the
/// type of the result. `progress` is called with the share of the operations
/// that are done, in [0, 1]. Errors are those of checkReference(), and integers
/// of 64 bits in a tensor that f64 does not have.
convmlir::Result<std::vector<convmlir::ReferenceTensor>>
evaluateFunction(func::FuncOp function,
                 std::vector<std::vector<double>> arguments,
                 convmlir::Precision precision,
                 const std::function<void(double)> &progress = {});

} // namespace mlir::conv

#endif // CONV_INTERPRETER_MODULEREFERENCE_H
