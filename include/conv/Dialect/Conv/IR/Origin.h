//===- Origin.h - what a module came from -----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module that was lowered no longer says what it computes. So the first stage
// keeps each function as text, in the attribute `conv.origin` of the module: a
// dictionary from the function's name to `func.func @name(…) {…}`. It survives
// printing, parsing and bytecode, a person can read and edit it, and nothing
// that a kernel does depends on it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_ORIGIN_H
#define CONV_DIALECT_CONV_IR_ORIGIN_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
}
namespace conv {

inline constexpr llvm::StringLiteral kOriginAttrName = "conv.origin";

/// Keeps `meaning` as what the function of its name was made of, in the place
/// of what was there.
void setOrigin(ModuleOp module, func::FuncOp meaning);

/// The text of the function that `function` was made of, or nothing.
std::optional<llvm::StringRef> getOrigin(ModuleOp module,
                                         llvm::StringRef function);

} // namespace conv
} // namespace mlir

#endif // CONV_DIALECT_CONV_IR_ORIGIN_H
