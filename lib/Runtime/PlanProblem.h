//===- PlanProblem.h - a plan against its problem line ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan says what it computes by a problem line, and what it reads and writes
// by buffers. Whoever verifies or binds buffers by the line relies on both
// being the same.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_PLANPROBLEM_H
#define CONV_LIB_RUNTIME_PLANPROBLEM_H

#include "conv/Runtime/Plan.h"

namespace convmlir {

/// Checks that arguments and results are those of the plan's problem line, in
/// number, name, type and shape. A plan of a module describes that instead, and
/// has nothing to be checked. The positions of the plan's buffers are valid.
Status validateProblem(const Plan &plan);

} // namespace convmlir

#endif // CONV_LIB_RUNTIME_PLANPROBLEM_H
