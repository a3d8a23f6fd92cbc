//===- Reversal.h - tensors backwards ---------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_REVERSAL_H
#define CONV_DIALECT_CONV_IR_REVERSAL_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// The tensor with the elements of `dims` backwards: a linalg.generic that is a
/// plain kernel.
Value emitReverse(OpBuilder &builder, Location loc, Value tensor,
                  ArrayRef<int64_t> dims);

/// A tensor that is another one with some dimensions backwards.
struct Reversal {
  Value source;
  SmallVector<int64_t> dims;
};

/// Reads a linalg.generic that moves all elements of a tensor of the same shape
/// and turns dimensions around: by its indexing map, or by linalg.index,
/// subtraction and tensor.extract, as torch-mlir does. Else nothing.
std::optional<Reversal> matchReversal(Value value);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_REVERSAL_H
