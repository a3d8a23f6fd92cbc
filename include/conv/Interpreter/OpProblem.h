//===- OpProblem.h - the problem of an operation ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operation solves, in the words of problems: its line, its types.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_INTERPRETER_OPPROBLEM_H
#define CONV_INTERPRETER_OPPROBLEM_H

#include "conv/Problem/Problem.h"
#include "conv/Runtime/ElementType.h"
#include "conv/Support/Result.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace mlir::conv {

class ConvOpInterface;

/// The problem that an operation solves: its geometry, types and layout, no
/// epilogue. The error names a type that problems cannot have.
convmlir::Result<convmlir::Problem> getProblem(ConvOpInterface op);

/// The element type in the IR, or null for tf32, which the IR does not store.
Type getElementType(MLIRContext *context, convmlir::ElementType type);
/// The other direction; nothing for the types that no tensor of a plan has.
std::optional<convmlir::ElementType> getElementType(Type type);

} // namespace mlir::conv

#endif // CONV_INTERPRETER_OPPROBLEM_H
