//===- PlainPreparation.h - what plain kernels are made of ------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In front of conv-tile-plain-kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_PLAINPREPARATION_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_PLAINPREPARATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// Makes every operation outside of the kernels one that can be tiled as it is:
/// named operations and copies become linalg.generic with their loops in the
/// order of the result, chains of elementwise operations are one, and
/// neighbouring loops that all operands walk together are one. Says which
/// operation has no such form.
LogicalResult preparePlainOps(func::FuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_PLAINPREPARATION_H
