//===- Reduce.h - a smaller module that does the same -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a module, and a tester that says yes of it. Output: a smaller module
// of which it still says yes. Parts of functions are found by halving, which
// takes few questions; what is left is for upstream's reducer.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_REDUCE_REDUCE_H
#define CONV_TOOLS_CONV_REDUCE_REDUCE_H

#include "Answer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace convmlir::reducer {

/// Of a module of which the answer is yes.
Status reduce(mlir::OwningOpRef<mlir::ModuleOp> &module, const Asker &asker);

std::string print(mlir::ModuleOp module);

/// How many lines the module has as text.
size_t countLines(mlir::ModuleOp module);

} // namespace convmlir::reducer

#endif // CONV_TOOLS_CONV_REDUCE_REDUCE_H
