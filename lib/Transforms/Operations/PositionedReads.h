//===- PositionedReads.h - elements at computed positions -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop of a plain kernel walks tensors forwards from their beginning, and
// reads an element of a row anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_OPERATIONS_POSITIONEDREADS_H
#define CONV_LIB_TRANSFORMS_OPERATIONS_POSITIONEDREADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// What a linalg.generic reads by an indexing map that is no such walk
/// (backwards, from a position on) it reads by tensor.extract or, where it
/// adds, of a tensor that is turned around or cropped before.
void readByPosition(func::FuncOp function);

/// What a body reads of a tensor of several dimensions it reads of a row.
void flattenReads(func::FuncOp function);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_OPERATIONS_POSITIONEDREADS_H
