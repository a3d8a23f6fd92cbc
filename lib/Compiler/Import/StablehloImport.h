//===- StablehloImport.h - modules of StableHLO -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_IMPORT_STABLEHLOIMPORT_H
#define CONV_LIB_COMPILER_IMPORT_STABLEHLOIMPORT_H

#include "conv/Support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// Whether some function of the module has operations of StableHLO.
bool hasStablehlo(ModuleOp module);

/// Puts the bodies of the functions that `entry` calls in the place of the
/// calls; JAX makes a function of what it traced once. Nothing else changes.
/// Refuses what would become too large.
convmlir::Status inlineCalls(ModuleOp module, func::FuncOp entry);

/// The operations as those of conv, linalg and tensor. Errors are diagnostics.
LogicalResult importStablehlo(ModuleOp module);

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_IMPORT_STABLEHLOIMPORT_H
