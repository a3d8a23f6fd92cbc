//===- TransposedFilter.h - filters that dgrad transposes -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `wgmma` multiplies operands of other widths than 16 bits only where gemm-k is
// contiguous. That of dgrad are the filters, K, which are the outermost
// dimension of a filter tensor. So it reads a copy with the dimensions
// [C, R, S, K/G] in the place of [K, R, S, C/G].
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TRANSPOSEDFILTER_H
#define CONV_DIALECT_CONV_IR_TRANSPOSEDFILTER_H

#include "conv/Dialect/Conv/IR/ConvOps.h"

namespace mlir::conv {

/// Whether kernels of `op` with such an instruction read a transposed filter.
inline bool transposesFilter(ConvOpInterface op, MmaKind mma) {
  return mma == MmaKind::Wgmma &&
         op.getConvKind() == convmlir::ConvKind::Dgrad &&
         op.getSourceElementType().getIntOrFloatBitWidth() != 16;
}

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TRANSPOSEDFILTER_H
