//===- ShortRows.h - transpositions to rows of a few elements ---*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a filter of 3x3 taps has them innermost where channels come
// first: rows of 9 elements (2 to 16 here), which no wide access divides. But
// eight rows of 9 bf16 are nine accesses of 16 bytes: a thread writes one of
// these, whose elements it gathers. Few bytes are written at a time, many are
// read from the L1 cache.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_PLAINKERNELS_SHORTROWS_H
#define CONV_LIB_TRANSFORMS_PLAINKERNELS_SHORTROWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::conv {

/// Whether a linalg.generic on tensors is a transposition whose result has such
/// rows, and the next dimension makes whole accesses of them.
bool hasShortTransposedRows(linalg::GenericOp op);

/// The same result by a linalg.generic that gathers, with both dimensions as
/// one, and a tensor.expand_shape.
Value gatherShortRows(RewriterBase &rewriter, linalg::GenericOp op);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_PLAINKERNELS_SHORTROWS_H
