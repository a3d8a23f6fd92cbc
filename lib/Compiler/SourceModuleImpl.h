//===- SourceModuleImpl.h - the IR of a function to compile -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_SOURCEMODULEIMPL_H
#define CONV_LIB_COMPILER_SOURCEMODULEIMPL_H

#include "conv/Compiler/SourceModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace convmlir {

/// With all dialects that a module may have.
std::unique_ptr<mlir::MLIRContext> createContext();

struct SourceModule::Impl {
  std::unique_ptr<mlir::MLIRContext> context;
  /// Form F0; the entry is its only function.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry;
  /// The same as it was given, before import and any pass: what the reference
  /// computes. Null where the source is a problem.
  mlir::OwningOpRef<mlir::ModuleOp> text;
  mlir::func::FuncOp textEntry;
  Precision precision = Precision::More;
  std::vector<std::string> remarks;
  bool gainsPrecision = false, hasFloats = false;

  std::string description;
  std::optional<Problem> problem;
  std::vector<Problem> convolutions;
  std::vector<ElementType> computedTypes;
  std::vector<TensorSpec> arguments, results;
};

} // namespace convmlir

#endif // CONV_LIB_COMPILER_SOURCEMODULEIMPL_H
