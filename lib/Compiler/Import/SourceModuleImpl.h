//===- SourceModuleImpl.h - the IR of a function to compile -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_IMPORT_SOURCEMODULEIMPL_H
#define CONV_LIB_COMPILER_IMPORT_SOURCEMODULEIMPL_H

#include "conv/Compiler/SourceModule.h"
#include "conv/Support/Form.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace convmlir {

/// With all dialects that a module may have.
std::unique_ptr<mlir::MLIRContext> createContext();

struct SourceModule::Impl {
  std::unique_ptr<mlir::MLIRContext> context;
  /// The entry is its only function.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// From which on it is compiled. Form F1 is compiled as F0, which keeps
  /// schedules that are there.
  Form form = Form::F0;
  /// What the module means, where it does not say so itself: it was lowered
  /// already, or a reference was named. Else null.
  std::unique_ptr<SourceModule> definition;
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

/// The function as it was given, which says what the source means.
mlir::func::FuncOp getDefinition(const SourceModule &source);

} // namespace convmlir

#endif // CONV_LIB_COMPILER_IMPORT_SOURCEMODULEIMPL_H
