//===- PieceLoops.h - tensors put together from others ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg.generic whose elements come from several tensors, or from a part of
// one, each by its position: a plain kernel, or part of that of what reads it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_OPERATIONS_PIECELOOPS_H
#define CONV_LIB_TRANSFORMS_OPERATIONS_PIECELOOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::conv {

/// The elements as one row: upstream's vectoriser gathers from rows only.
Value flattenTensor(OpBuilder &builder, Location loc, Value tensor);

/// A tensor of the rank of the result. Its element i comes to position
/// offset + stride * i, if the result has that.
struct Piece {
  Value source;
  SmallVector<int64_t> offsets, strides;
};

/// The pieces, later ones over earlier ones. Where there is none, the element
/// is `base`, a scalar or a tensor of the result's shape; null where pieces
/// cover all.
Value emitPieces(OpBuilder &builder, Location loc, RankedTensorType type,
                 Value base, ArrayRef<Piece> pieces);

/// Positions offset + stride * i of `source`, with its rank; dimensions in
/// `dropped` are none of the result's.
Value emitPart(OpBuilder &builder, Location loc, RankedTensorType type,
               Value source, ArrayRef<int64_t> offsets,
               ArrayRef<int64_t> strides, const llvm::SmallBitVector &dropped);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_OPERATIONS_PIECELOOPS_H
