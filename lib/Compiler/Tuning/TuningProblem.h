//===- TuningProblem.h - how records name an operation -------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_TUNING_TUNINGPROBLEM_H
#define CONV_LIB_COMPILER_TUNING_TUNINGPROBLEM_H

#include "conv/Problem/Problem.h"

namespace mlir::conv {

class ConvOpInterface;

/// The problem of an operation of form F0, with the epilogue that will be fused
/// into it as far as a problem can say it: bias, residual and the type of the
/// result. The error names a type that problems cannot have.
convmlir::Result<convmlir::Problem> getTuningProblem(ConvOpInterface op);

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_TUNING_TUNINGPROBLEM_H
