//===- FunctionCut.h - parts of a function ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of one block, seen as a list of steps: the operations that
// compute, without the constants and empty tensors that they begin with. A part
// of it is a function again: what it reads of other steps are its arguments,
// what nobody reads within it are its results. So a part is right or wrong by
// itself, with numbers of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_REDUCE_FUNCTIONCUT_H
#define CONV_TOOLS_CONV_REDUCE_FUNCTIONCUT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convmlir::reducer {

/// Whether the function has one block, which ends with func.return.
bool canCut(mlir::func::FuncOp function);

/// Whether the operation begins with nothing: a constant, an empty tensor, and
/// one that is filled with a constant.
bool isBeginning(mlir::Operation *op);

/// The steps of a function, in order.
llvm::SmallVector<mlir::Operation *> findSteps(mlir::func::FuncOp function);

/// Leaves the steps from `begin` to `end`, with what they begin with.
void cutFunction(mlir::func::FuncOp function, size_t begin, size_t end);

/// Leaves one result, and what makes it.
void keepResult(mlir::func::FuncOp function, unsigned result);

/// Erases what nobody reads, arguments too.
void eraseUnused(mlir::func::FuncOp function);

} // namespace convmlir::reducer

#endif // CONV_TOOLS_CONV_REDUCE_FUNCTIONCUT_H
