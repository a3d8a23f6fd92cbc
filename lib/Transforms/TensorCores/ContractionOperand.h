//===- ContractionOperand.h - tiles that a contraction reads ----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_CONTRACTIONOPERAND_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_CONTRACTIONOPERAND_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::conv {

/// One operand of a `vector.contract` in a kernel (F6): a tile in workgroup
/// memory, and whether gemm-k is its first dimension. The part of a window that
/// a tap sees is a tile of more dimensions, whose rows are all but the last.
/// Between the tile and the contraction its elements may be converted
/// (OperandConversion.h).
struct ContractionOperand {
  TypedValue<MemRefType> memref;
  bool isTransposed;
};

/// The left operand, A, or the right one, B; an error on `op` where that is no
/// whole tile, or `op` no product of two matrices.
FailureOr<ContractionOperand> getContractionOperand(vector::ContractionOp op,
                                                    bool isA);

/// The type as which an operand's elements are multiplied: that to which they
/// are rounded, or that of the tile.
Type getFactorType(Value operand);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_CONTRACTIONOPERAND_H
