//===- ConstantResources.h - constants whose data is elsewhere --*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant may be written as dense_resource<name>, with its bytes at the end
// of the file: so torch-mlir prints the weights of a model. Everything behind
// the parser, the reference too, knows dense elements only.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_IMPORT_CONSTANTRESOURCES_H
#define CONV_LIB_COMPILER_IMPORT_CONSTANTRESOURCES_H

#include "conv/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::conv {

/// Constants of resources become constants of dense elements. Says which one
/// has no bytes, or another number of them than its type.
convmlir::Status readConstantResources(ModuleOp module);

} // namespace mlir::conv

#endif // CONV_LIB_COMPILER_IMPORT_CONSTANTRESOURCES_H
