//===- ProblemImport.h - from a problem line to IR --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a checked Problem. Output: a module of form F0, one public function
// whose arguments and result are those of the problem.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_COMPILER_PROBLEMIMPORT_H
#define CONV_COMPILER_PROBLEMIMPORT_H

#include "conv/Problem/Problem.h"
#include "conv/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::conv {

/// The function @main(arguments...) -> result: the convolution to its
/// accumulation type, then, where the problem has an epilogue or a narrower
/// result, one elementwise `linalg.generic`. The error names a type that has no
/// form in the IR.
convmlir::Result<OwningOpRef<ModuleOp>>
importProblem(MLIRContext *context, const convmlir::Problem &problem);

} // namespace mlir::conv

#endif // CONV_COMPILER_PROBLEMIMPORT_H
