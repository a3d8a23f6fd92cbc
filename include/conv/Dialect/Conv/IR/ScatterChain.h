//===- ScatterChain.h - scatters into different elements --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of an operation is written by one `conv.scatter`, or by several,
// each into the result of the one before: the stride phases of dgrad. Since
// they write different elements, their order does not matter, and they can be
// seen as one.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_SCATTERCHAIN_H
#define CONV_DIALECT_CONV_IR_SCATTERCHAIN_H

#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"

namespace mlir::conv {

/// `last` and, in front of it, the scatters into whose result it goes, as long
/// as nothing else reads what lies between and all write different elements.
/// Only whole matrices on tensors, in the order of the operations.
SmallVector<ScatterOp> getScatterChain(ScatterOp last);

/// Whether the rows of `view`, which has one tap, are every position of a
/// tensor of this shape, channels last, that is a multiple of the stride.
bool namesCells(ViewAttr view, ArrayRef<int64_t> shape);

/// Whether the scatters of a chain write every element of their destination.
bool coversDestination(ArrayRef<ScatterOp> chain);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_SCATTERCHAIN_H
