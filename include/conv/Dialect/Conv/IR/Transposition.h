//===- Transposition.h - tensors with other dimensions ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TRANSPOSITION_H
#define CONV_DIALECT_CONV_IR_TRANSPOSITION_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// A linalg.transpose of `source` into a new tensor, whose dimension i is
/// dimension permutation[i] of the source; the source itself where all stay.
Value emitTransposition(OpBuilder &builder, Location loc, Value source,
                        ArrayRef<int64_t> permutation);

/// The tensor in another shape, by way of one row of elements.
Value emitReshape(OpBuilder &builder, Location loc, Value tensor,
                  ArrayRef<int64_t> shape);

/// From channels first to channels last: for dimension i of the result, that of
/// the source. Of a rank of 2 or more.
SmallVector<int64_t> getToChannelsLast(int64_t rank);

/// The dimensions of a tensor with channels first, with all spatial ones as
/// one: batch, channels, positions.
SmallVector<ReassociationIndices> getImageDims(int64_t rank);

/// The tensor with channels first that `value` is with its channels last, by a
/// linalg.transpose; null where it is none.
Value getChannelsFirstSource(Value value);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TRANSPOSITION_H
