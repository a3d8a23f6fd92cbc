//===- PlanWork.h - what a run does at least --------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_PLAN_PLANWORK_H
#define CONV_LIB_COMPILER_PLAN_PLANWORK_H

#include "conv/Compiler/SourceModule.h"
#include "conv/Runtime/Plan.h"

namespace convmlir {

/// Sets the operations, the least traffic and the type of the operands of a
/// plan to what the function that it is made of must do.
void addWork(Plan &plan, const SourceModule &source);

} // namespace convmlir

#endif // CONV_LIB_COMPILER_PLAN_PLANWORK_H
