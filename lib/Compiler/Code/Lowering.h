//===- Lowering.h - a module in one of its forms ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_CODE_LOWERING_H
#define CONV_LIB_COMPILER_CODE_LOWERING_H

#include "Import/SourceModuleImpl.h"
#include "conv/Compiler/Compiler.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"

namespace convmlir {

/// A copy of the source, lowered to `form`. The error is that of the pass that
/// failed; `onRemark` gets the reasons of choices.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
lower(const SourceModule &source, Form form, const CompileOptions &options,
      mlir::conv::DiagnosticCollector::Remark onRemark = nullptr);

} // namespace convmlir

#endif // CONV_LIB_COMPILER_CODE_LOWERING_H
